import { type Outcome, readAnswer } from "./answer.ts";
import { ConnectionError } from "./errors.ts";
import type { PreparedRequest } from "./request.ts";
import { startTimeout, throwIfAborted } from "./timeout.ts";

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
    return await readAnswer(response, call, url);
  } catch (error) {
    throwIfAborted(signal);
    const why = timeout.isOver() ? `nothing came within ${milliseconds} ms` : String(error);
    return { error: new ConnectionError(`${call} was not answered: ${why}`, { cause: error, url }) };
  } finally {
    timeout.clear();
  }
}
