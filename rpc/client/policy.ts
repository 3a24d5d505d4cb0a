/** How long a client of JSON-RPC nodes waits, and for what. */
export type Policy = {
  /** For one exchange, until its answer has come whole. */
  timeoutMs: number;
  /** For a question altogether, however many providers are asked. */
  deadlineMs: number;
  /** Most bytes of an answer; undefined: by what is asked. */
  mostBytes: number | undefined;
  /** Exchanges under way at once with one provider. */
  mostUnderWay: number;
  /** Single calls of one turn of the event loop travel in one batch. */
  batchesCalls: boolean;
  /** Whether a provider that refuses for the pace, or may do so, is waited for; else the next one is asked at once. */
  waits: boolean;
  /** How often one question is asked of a provider that is the only one. */
  attempts: number;
  /** Refusals in a row, each of which may be about the call, after which a provider counts as out of order. */
  refusalsAllowed: number;
  /** Several providers are asked for their chain before all else, and must be of the first one's. */
  agree: boolean;
  /** Most milliseconds for which a provider that failed, or asked for a rest, is asked last or not at all. */
  longestRestMs: number;
};

/** Nobody waits for an answer: the provider's limits come first, and a work that failed is tried again later. */
export const background: Policy = {
  timeoutMs: 10_000,
  deadlineMs: Number.POSITIVE_INFINITY,
  mostBytes: undefined,
  mostUnderWay: 24,
  batchesCalls: false,
  waits: true,
  attempts: 1,
  refusalsAllowed: 3,
  agree: false,
  longestRestMs: 300_000,
};

/** Somebody waits for each answer: it comes, or fails, within seconds, from whichever provider has it. */
export const interactive: Policy = {
  timeoutMs: 5_000,
  deadlineMs: 8_000,
  mostBytes: 10 * 1024 * 1024,
  mostUnderWay: Number.POSITIVE_INFINITY,
  batchesCalls: true,
  waits: false,
  attempts: 2,
  refusalsAllowed: 0,
  agree: true,
  longestRestMs: 10_000,
};
