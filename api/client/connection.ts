import type { Envelope } from "../../domain/envelope.ts";
import { ArgumentError, ConnectionError, RegistryError } from "./errors.ts";
import { newIdempotencyKey } from "./keys.ts";
import { type PreparedRequest, prepareRequest, setHeader } from "./request.ts";
import { pause, pauseAfter, readRetryAfter } from "./retry.ts";
import { isDuration, limitTime, throwIfAborted } from "./timing.ts";

export type CallOptions = {
  /** Ends the call, its waiting included. */
  signal?: AbortSignal;
  /** Of a POST or PATCH; one is made where it is left out, and kept through all tries. */
  idempotencyKey?: string;
};

export type ConnectionOptions = {
  /** Where the service is: `https://registry.example`. */
  url: string;
  apiKey?: string;
  /** An identity token, or what gets one for each call. */
  token?: string | (() => string | Promise<string>);
  /** Milliseconds that one try may take; 30,000 unless given. */
  timeout?: number;
  /** How often a call is tried again; 4 unless given. */
  retries?: number;
  /** Instead of the platform's own. */
  fetch?: typeof fetch;
};

export type Call = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  options?: CallOptions & Pick<ConnectionOptions, "retries">,
) => Promise<Envelope>;

/** Calls that are tried again where that may help, with growing random pauses and as `Retry-After` says. */
export function connect(options: ConnectionOptions): Call {
  const { url, apiKey, timeout = 30_000, token } = options;
  return async (method, path, body, { signal, idempotencyKey, retries = options.retries ?? 4 } = {}) => {
    if (typeof url !== "string")
      throw new ArgumentError("url must be a text, such as https://registry.example.");
    if (!isDuration(timeout)) throw new ArgumentError("timeout must be a number of milliseconds.");
    const base = withoutSlash(url);
    const changes = method === "POST" || method === "PATCH";
    const key = changes ? (idempotencyKey ?? newIdempotencyKey()) : undefined;
    const request = prepareRequest({ base, path, method, body, apiKey, idempotencyKey: key });
    const ask = fetchOf(options);
    let mayBeDone = false;
    for (let failures = 0; ; failures += 1) {
      throwIfAborted(signal);
      if (token !== undefined) {
        const got = typeof token === "function" ? await token() : token;
        if (typeof got !== "string") throw new ArgumentError("token must be a text, or answer one.");
        setHeader(request.headers, "authorization", `Bearer ${got}`, "token");
      }
      const outcome = await attempt(ask, request, timeout, signal);
      if ("envelope" in outcome) return outcome.envelope;
      const { error } = outcome;
      // An earlier try has removed it, and its answer was lost.
      if (method === "DELETE" && mayBeDone && isNotFound(error)) return { value: null };
      mayBeDone ||= error.status === undefined || error.status >= 500;
      const wait = failures < retries ? pauseAfter(error, failures) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, signal);
    }
  };
}

/** By hand, and not from `domain`: the package of the client loads nothing but its own files. */
function withoutSlash(url: string): string {
  let end = url.length;
  while (url.endsWith("/", end)) end -= 1;
  return url.slice(0, end);
}

/** The platform's own is looked up for each call, for a page may replace it. */
function fetchOf(options: ConnectionOptions): typeof fetch {
  const ask = options.fetch ?? globalThis.fetch;
  if (typeof ask !== "function") throw new ArgumentError("There is no fetch here: give one as an option.");
  return options.fetch === undefined ? (...args) => globalThis.fetch(...args) : ask;
}

const isNotFound = (error: Error): boolean => error instanceof RegistryError && error.status === 404;

type Outcome = { envelope: Envelope } | { error: RegistryError | ConnectionError };

async function attempt(
  ask: typeof fetch,
  { url, method, headers, body }: PreparedRequest,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const limit = limitTime(timeout, signal);
  const call = `${method} ${url}`;
  try {
    const response = await ask(url, {
      method,
      headers,
      // Followed, it would turn a POST into a GET, and show the API key to whoever it leads to.
      redirect: "manual",
      signal: limit.signal,
      ...(body === undefined ? {} : { body }),
    });
    if (isRedirect(response)) return { error: redirected(call, response) };
    return outcomeOf(call, response, await response.text());
  } catch (error) {
    throwIfAborted(signal);
    const why = limit.isOver() ? `nothing came within ${timeout} ms` : String(error);
    return { error: new ConnectionError(`${call} was not answered: ${why}`, { cause: error }) };
  } finally {
    limit.end();
  }
}

/** A browser does not show the status of a redirect that it does not follow. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function redirected(call: string, { status, headers }: Response): ConnectionError {
  const target = headers.get("location");
  const where = target === null ? "" : ` to ${target.slice(0, 200)}`;
  return new ConnectionError(
    `${call} was answered with a redirect${where}, which is not followed: give the url that it leads to.`,
    { status },
  );
}

function outcomeOf(call: string, { ok, status, headers }: Response, body: string): Outcome {
  const envelope = readEnvelope(body);
  const retryAfter = readRetryAfter(headers);
  if (ok && envelope !== undefined && envelope.error === undefined) return { envelope };
  if (envelope?.error === undefined) {
    const message = `${call} was answered ${status}, and not by the service: ${body.slice(0, 100)}`;
    return { error: new ConnectionError(message, { status, retryAfter }) };
  }
  const { code, message, details = [] } = envelope.error;
  const requestId = headers.get("x-request-id") ?? undefined;
  return { error: new RegistryError({ code, message, status, details, requestId, retryAfter }) };
}

/** @returns undefined for what no answer of the service is: a page of a proxy, for one */
function readEnvelope(body: string): Envelope | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === "object" && read !== null && "value" in read ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
