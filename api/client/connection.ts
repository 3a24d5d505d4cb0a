import type { Envelope } from "../../domain/envelope.ts";
import { ConnectionError, RegistryError } from "./errors.ts";

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

/** Calls that are tried again where that is safe, with growing random pauses or as `Retry-After` says. */
export function connect(options: ConnectionOptions): Call {
  const { retries = 4 } = options;
  const base = options.url.replace(/\/+$/, "");
  return async (method, path, body, { signal, idempotencyKey } = {}) => {
    const changes = method === "POST" || method === "PATCH";
    const key = changes ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      const outcome = await attempt(options, `${base}${path}`, { method, body, key, signal });
      if ("envelope" in outcome) return outcome.envelope;
      if (failures >= retries || !mayTryAgain(outcome.error, changes)) throw outcome.error;
      await pause(outcome.retryAfter ?? backOff(failures), signal);
    }
  };
}

type Attempt = {
  method: string;
  body: object | undefined;
  key: string | undefined;
  signal: AbortSignal | undefined;
};
type Outcome = { envelope: Envelope } | { error: RegistryError | ConnectionError; retryAfter?: number };

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
  try {
    const response = await ask(url, {
      method,
      headers,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return outcomeOf(response, (await response.json()) as Envelope);
  } catch (error) {
    signal?.throwIfAborted();
    const why = limit.aborted ? `nothing came within ${timeout} ms` : String(error);
    return { error: new ConnectionError(`${method} ${url} was not answered: ${why}`, { cause: error }) };
  }
}

function outcomeOf(response: Response, envelope: Envelope): Outcome {
  const { status, headers } = response;
  const { error } = envelope;
  if (response.ok && error === undefined) return { envelope };
  if (error === undefined) return { error: new ConnectionError(`The answer ${status} is not the service's`) };
  const { code, message, details = [] } = error;
  const requestId = headers.get("x-request-id") ?? undefined;
  const seconds = headers.get("retry-after");
  return {
    error: new RegistryError({ code, message, status, details, requestId }),
    ...(seconds !== null && /^\d+$/.test(seconds) ? { retryAfter: Number(seconds) * 1000 } : {}),
  };
}

/** A change is made again only where the answer says that nothing was done. */
function mayTryAgain(error: RegistryError | ConnectionError, changes: boolean): boolean {
  if (error instanceof ConnectionError) return !changes;
  if (error.status === 429 || error.code === "NOT_READY" || error.code === "NODE_UNAVAILABLE") return true;
  return !changes && error.status === 503;
}

/** Full jitter: anything up to a bound that doubles, so that many clients do not come back together. */
const backOff = (failures: number): number => Math.random() * Math.min(10_000, 250 * 2 ** failures);

/** Waits; ends early by throwing the reason of the signal. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
