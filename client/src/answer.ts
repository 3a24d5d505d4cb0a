import { readBody } from "./body.ts";
import { ConnectionError, RegistryError } from "./errors.ts";
import { readRetryAfter } from "./retry.ts";
import type { Envelope } from "./types/envelope.ts";

export type Outcome = { envelope: Envelope } | { error: RegistryError | ConnectionError };

/**
 * Reads an answer to its end as one of the service.
 * @param call method and URL, for the texts of errors
 * @throws where the connection breaks
 */
export async function readAnswer(response: Response, call: string, url: string): Promise<Outcome> {
  if (isRedirect(response)) return { error: redirected(call, url, response) };
  const read = await readBody(response);
  return read === undefined ? { error: tooLong(call, url, response) } : outcomeOf(call, url, response, read);
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
