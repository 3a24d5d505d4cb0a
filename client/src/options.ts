export type ConnectionOptions = {
  /** The service's base URL, such as `https://registry.example`; in a page it may be a path. */
  url: string;
  /** Secret of a server; leave it out in a page. */
  apiKey?: string | undefined;
  /** An identity token, or a function that gets one for each attempt. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Milliseconds that one attempt may take (30,000). */
  timeout?: number | undefined;
  /** How often a failed call is retried (4). */
  retries?: number | undefined;
  /** Used instead of the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
};

export type CallOptions = {
  /** Ends the call and its back-off. */
  signal?: AbortSignal | undefined;
  /** Of a POST or PATCH; a random one is made where it is left out, and kept through all attempts. */
  idempotencyKey?: string | undefined;
};

export type WaitOptions = {
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the wait fails, retries and back-off included (300,000). */
  timeout?: number | undefined;
  /** Milliseconds between two polls (1,000). */
  interval?: number | undefined;
};
