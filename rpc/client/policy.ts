/** Timeouts, limits and retries of a JSON-RPC client. */
export type Policy = {
  /** Timeout of one exchange, including the whole answer. */
  timeoutMs: number;
  /** Timeout of a call in all, over all providers. */
  deadlineMs: number;
  /** Most bytes of an answer; undefined: by the method. */
  mostBytes: number | undefined;
  /** Concurrent exchanges with one provider. */
  mostUnderWay: number;
  /** Whether single calls of one turn of the event loop share a batch. */
  batchesCalls: boolean;
  /** Whether to wait for a rate-limited provider; else the next one is called at once. */
  waits: boolean;
  /** Attempts of one call with the only provider. */
  attempts: number;
  /** Consecutive rejections after which a provider counts as down. */
  rejectionsAllowed: number;
  /** Whether the chain of several providers is checked first, and must be that of the first one. */
  agree: boolean;
  /** Longest time in milliseconds for which a failed or rate-limited provider is avoided. */
  longestRestMs: number;
};

/** For background work: respects the provider's limits; failed work is retried later. */
export const background: Policy = {
  timeoutMs: 10_000,
  deadlineMs: Number.POSITIVE_INFINITY,
  mostBytes: undefined,
  mostUnderWay: 24,
  batchesCalls: false,
  waits: true,
  attempts: 1,
  rejectionsAllowed: 3,
  agree: false,
  longestRestMs: 300_000,
};

/** For requests: each call succeeds or fails within seconds, at any provider. */
export const interactive: Policy = {
  timeoutMs: 5_000,
  deadlineMs: 8_000,
  mostBytes: 10 * 1024 * 1024,
  mostUnderWay: Number.POSITIVE_INFINITY,
  batchesCalls: true,
  waits: false,
  attempts: 2,
  rejectionsAllowed: 0,
  agree: true,
  longestRestMs: 10_000,
};
