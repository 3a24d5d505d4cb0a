import type { Envelope } from "../../domain/envelope.ts";
import { ConnectionError, RegistryError } from "./errors.ts";
import { pause, pauseAfter, readRetryAfter } from "./retry.ts";

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
  options?: CallOptions,
) => Promise<Envelope>;

/** Calls that are tried again where that may help, with growing random pauses and as `Retry-After` says. */
export function connect(options: ConnectionOptions): Call {
  const { retries = 4 } = options;
  const base = options.url.replace(/\/+$/, "");
  return async (method, path, body, { signal, idempotencyKey } = {}) => {
    const changes = method === "POST" || method === "PATCH";
    const key = changes ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    let mayBeDone = false;
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      const outcome = await attempt(options, `${base}${path}`, { method, body, key, signal });
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

const isNotFound = (error: Error): boolean => error instanceof RegistryError && error.status === 404;

type Attempt = {
  method: string;
  body: object | undefined;
  key: string | undefined;
  signal: AbortSignal | undefined;
};
type Outcome = { envelope: Envelope } | { error: RegistryError | ConnectionError };

async function attempt(
  { apiKey, token, timeout = 30_000, fetch: ask = fetch }: ConnectionOptions,
  url: string,
  { method, body, key, signal }: Attempt,
): Promise<Outcome> {
  const headers = new Headers({ accept: "application/json" });
  if (apiKey !== undefined) headers.set("x-api-key", apiKey);
  if (token !== undefined) {
    headers.set("authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
  }
  if (key !== undefined) headers.set("idempotency-key", key);
  if (body !== undefined) headers.set("content-type", "application/json");
  const limit = AbortSignal.timeout(timeout);
  const call = `${method} ${url}`;
  try {
    const response = await ask(url, {
      method,
      headers,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return outcomeOf(call, response, await response.text());
  } catch (error) {
    signal?.throwIfAborted();
    const why = limit.aborted ? `nothing came within ${timeout} ms` : String(error);
    return { error: new ConnectionError(`${call} was not answered: ${why}`, { cause: error }) };
  }
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
