import { readBody } from "./body.ts";
import { ConnectionError, RegistryError } from "./errors.ts";
import type { PreparedRequest } from "./request.ts";
import { readRetryAfter } from "./retry.ts";
import { startTimeout, throwIfAborted } from "./timeout.ts";
import type { Envelope } from "./types/envelope.ts";

type Outcome = { envelope: Envelope } | { error: RegistryError | ConnectionError };

/** Sends a request once; throws only the reason of the caller's signal. */
export async function attempt(
  send: typeof fetch,
  { url, method, headers, body }: PreparedRequest,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const timeout = startTimeout(milliseconds, signal);
  const call = `${method} ${url}`;
  try {
    const response = await send(url, {
      method,
      headers,
      // If followed, a POST would become a GET, and the API key would reach another host.
      redirect: "manual",
      signal: timeout.signal,
      ...(body === undefined ? {} : { body }),
    });
    if (isRedirect(response)) return { error: redirected(call, url, response) };
    const read = await readBody(response);
    return read === undefined
      ? { error: tooLong(call, url, response) }
      : outcomeOf(call, url, response, read);
  } catch (error) {
    throwIfAborted(signal);
    const why = timeout.isOver() ? `nothing came within ${milliseconds} ms` : String(error);
    return { error: new ConnectionError(`${call} was not answered: ${why}`, { cause: error, url }) };
  } finally {
    timeout.clear();
  }
}

/** A browser hides the status of a redirect that it does not follow. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

function redirected(call: string, url: string, { status, headers }: Response): ConnectionError {
  const target = headers.get("location");
  const where = target === null ? "" : ` to ${target.slice(0, 200)}`;
  return new ConnectionError(
    `${call} was answered with a redirect${where}, which is not followed: give the url that it leads to.`,
    { status, url },
  );
}

const tooLong = (call: string, url: string, { status }: Response): ConnectionError =>
  new ConnectionError(`${call} was answered with more bytes than any answer of the service has.`, {
    status,
    url,
  });

function outcomeOf(call: string, url: string, { ok, status, headers }: Response, body: string): Outcome {
  const envelope = readEnvelope(body);
  const retryAfter = readRetryAfter(headers);
  if (ok && envelope !== undefined && envelope.error === undefined) return { envelope };
  if (envelope?.error === undefined) {
    const message = `${call} was answered ${status}, and not by the service: ${body.slice(0, 100)}`;
    return { error: new ConnectionError(message, { status, retryAfter, url }) };
  }
  const { code, message, details = [] } = envelope.error;
  const requestId = headers.get("x-request-id") ?? undefined;
  return { error: new RegistryError({ code, message, status, details, requestId, retryAfter }) };
}

/** @returns undefined for a body that is not the service's, such as a proxy's page */
function readEnvelope(body: string): Envelope | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === "object" && read !== null && "value" in read ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
