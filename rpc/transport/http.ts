import { RedirectError, redirectTarget } from "../../domain/url/redirect.ts";
import { hideSecretsOf } from "../../domain/url/secrets.ts";
import { type FailureReason, NodeError } from "../errors/node-error.ts";
import { createExchanges, type HttpAnswer } from "./http-exchange.ts";
import { statusError } from "./status-error.ts";

export type HttpOptions = {
  /** For the whole exchange: an answer that has begun and does not end is late, too. */
  timeoutMs: number;
  /** Aborts what is under way. */
  signal: AbortSignal | undefined;
  /** Called for each failure that is retried here without the caller. */
  countFailure?: ((reason: FailureReason) => void) | undefined;
};

const mostRedirects = 3;
/** Errors of a kept connection that the node closed just as it was used again, before any call got through. */
const mostStaleSockets = 3;

/** Parses an answer, or throws; `failure` is the error of an HTTP status other than 200. */
export type ReadAnswer<Output> = (text: string, failure: NodeError | undefined) => Output;

export type HttpClient = {
  /** @param largest most bytes of the answer; a larger one is rejected before it fills the memory */
  post<Output>(body: string, read: ReadAnswer<Output>, largest: number): Promise<Output>;
  close(): void;
};

/** Posts JSON to one URL, over connections that are kept; follows redirects on its host. */
export function createHttpClient(
  configured: string,
  { timeoutMs, signal, countFailure }: HttpOptions,
): HttpClient {
  const exchanges = createExchanges(timeoutMs, signal);
  /** Where a redirect led is asked at once from then on, as long as answers come from there. */
  let target = new URL(configured);

  async function post<Output>(body: string, read: ReadAnswer<Output>, largest: number): Promise<Output> {
    try {
      const { answer, from } = await follow(body, largest);
      const failure = answer.status === 200 ? undefined : statusError(answer, hideSecretsOf(from.href));
      const output = read(answer.text, failure);
      target = failure === undefined ? from : new URL(configured);
      return output;
    } catch (error) {
      target = new URL(configured);
      throw error;
    }
  }

  async function follow(body: string, largest: number): Promise<{ answer: HttpAnswer; from: URL }> {
    let from = target;
    for (let redirected = 0; redirected <= mostRedirects; redirected += 1) {
      const answer = await exchange(from, body, largest);
      const next = redirectOf(from, answer);
      if (next === undefined) return { answer, from };
      from = next;
    }
    throw new NodeError("http_status", "The node redirects in circles");
  }

  async function exchange(url: URL, body: string, largest: number): Promise<HttpAnswer> {
    for (let stale = 0; stale <= mostStaleSockets; stale += 1) {
      const answer = await exchanges.post(url, body, largest);
      if (answer !== "stale") return answer;
      countFailure?.("unreachable");
    }
    throw new NodeError("unreachable", "The node closed the connection without an answer");
  }

  return { post, close: exchanges.close };
}

function redirectOf(from: URL, { status, headers }: HttpAnswer): URL | undefined {
  try {
    return redirectTarget(from, status, headers.location);
  } catch (error) {
    throw error instanceof RedirectError ? new NodeError("http_status", error.message) : error;
  }
}
