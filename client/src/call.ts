import { attempt } from "./attempt.ts";
import { ArgumentError, RegistryError } from "./errors.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions, ConnectionOptions } from "./options.ts";
import { prepareRequest, setHeader } from "./request.ts";
import { delay, retryDelay } from "./retry.ts";
import { isDuration, throwIfAborted } from "./timeout.ts";
import type { Envelope } from "./types/envelope.ts";

export type Call = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  options?: CallOptions & Pick<ConnectionOptions, "retries">,
) => Promise<Envelope>;

/** Calls of one service, retried with back-off where that may help. */
export function connect(connection: ConnectionOptions): Call {
  const { url, apiKey, timeout = 30_000 } = connection;
  return async (method, path, body, options = {}) => {
    const { signal, retries = connection.retries ?? 4 } = options;
    if (!isDuration(timeout)) throw new ArgumentError("timeout must be a number of milliseconds.");
    const isChange = method === "POST" || method === "PATCH";
    const idempotencyKey = isChange ? (options.idempotencyKey ?? newIdempotencyKey()) : undefined;
    const request = prepareRequest({ url, path, method, body, apiKey, idempotencyKey });
    const send = fetchOf(connection);
    let mayBeDone = false;
    for (let failures = 0; ; failures += 1) {
      throwIfAborted(signal);
      await authorize(request.headers, connection.token);
      const outcome = await attempt(send, request, timeout, signal);
      if ("envelope" in outcome) return outcome.envelope;
      const { error } = outcome;
      // An earlier attempt has deleted it, and its answer was lost.
      if (method === "DELETE" && mayBeDone && isNotFound(error)) return { value: null };
      mayBeDone ||= error.status === undefined || error.status >= 500;
      const wait = failures < retries ? retryDelay(error, failures) : undefined;
      if (wait === undefined) throw error;
      await delay(wait, signal);
    }
  };
}

/** Sets the identity token of a connection, which may be got anew for each attempt. */
export async function authorize(headers: Headers, token: ConnectionOptions["token"]): Promise<void> {
  if (token === undefined) return;
  const text = typeof token === "function" ? await token() : token;
  if (typeof text !== "string")
    throw new ArgumentError("token must be a text, or a function that returns one.");
  setHeader(headers, "authorization", `Bearer ${text}`, "token");
}

/** The platform's `fetch` is looked up for each attempt, since a page may replace it. */
export function fetchOf({ fetch: given }: ConnectionOptions): typeof fetch {
  if (typeof (given ?? globalThis.fetch) !== "function") {
    throw new ArgumentError("There is no fetch here: give one as an option.");
  }
  return given ?? ((...args) => globalThis.fetch(...args));
}

const isNotFound = (error: Error): boolean => error instanceof RegistryError && error.status === 404;
