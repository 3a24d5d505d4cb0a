import { readAnswer } from "../answer.ts";
import { authorize, fetchOf } from "../call.ts";
import { ConnectionError, RegistryError } from "../errors.ts";
import type { ConnectionOptions } from "../options.ts";
import { prepareRequest } from "../request.ts";
import { throwIfAborted } from "../timeout.ts";

/** No events come by a stream here, though they may be read page by page. */
export class NoStreamError extends Error {}

export type ByteReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Opens a stream of events.
 * @param path with its query
 * @param after sequence of the last event that the reader has
 * @param ended aborted by the caller, or when the stream is given up
 * @throws NoStreamError, RegistryError, ConnectionError, or the reason of the signal
 */
export async function openStream(
  connection: ConnectionOptions,
  path: string,
  after: number | undefined,
  ended: AbortSignal,
): Promise<ByteReader> {
  const { url: base, apiKey, token } = connection;
  const request = prepareRequest({
    url: base,
    path,
    method: "GET",
    body: undefined,
    apiKey,
    idempotencyKey: undefined,
  });
  const { url, headers, method } = request;
  headers.set("accept", "text/event-stream");
  if (after !== undefined) headers.set("last-event-id", String(after));
  await authorize(headers, token);
  const send = fetchOf(connection);
  let error: Error;
  try {
    const response = await send(url, {
      method,
      headers,
      redirect: "manual",
      cache: "no-store",
      signal: ended,
    });
    if (isStream(response)) return response.body.getReader();
    if (response.ok) throw await noStream(response, "what was answered is no event stream");
    const outcome = await readAnswer(response, `${method} ${url}`, url);
    error = "error" in outcome ? outcome.error : new NoStreamError("what was answered is no event stream");
  } catch (cause) {
    if (cause instanceof NoStreamError) throw cause;
    throwIfAborted(ended);
    throw new ConnectionError(`${method} ${url} was not answered: ${String(cause)}`, { cause, url });
  }
  throw isUnsupported(error) ? new NoStreamError(error.message, { cause: error }) : error;
}

/** Some stand-ins for fetch have no stream. */
const isStream = (response: Response): response is Response & { body: ReadableStream<Uint8Array> } =>
  response.ok &&
  /^text\/event-stream\s*(;|$)/i.test(response.headers.get("content-type") ?? "") &&
  typeof response.body?.getReader === "function";

async function noStream({ body }: Response, why: string): Promise<NoStreamError> {
  // Stand-ins for fetch may have a body without it.
  await body?.cancel?.().catch(() => undefined);
  return new NoStreamError(why);
}

/** Whether pages of events may be read where the stream is refused: by a proxy, or because there are too many. */
function isUnsupported(error: Error): boolean {
  if (error instanceof RegistryError) {
    const { code, status }: { code: string; status: number } = error;
    return status === 405 || status === 501 || code === "ROUTE_NOT_FOUND" || code === "TOO_MANY_STREAMS";
  }
  return error instanceof ConnectionError && [404, 405, 406, 501].includes(error.status ?? 0);
}
