import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { RedirectError, redirectTarget } from "../../domain/url/redirect.ts";
import { hideSecretsOf } from "../../domain/url/secrets.ts";
import { type FailureReason, NodeError } from "../errors/node-error.ts";
import { createSpareBuffers, readBody } from "./body.ts";
import { statusError } from "./status-error.ts";

export type HttpOptions = {
  /** For the whole exchange: an answer that has begun and does not end is late, too. */
  timeoutMs: number;
  /** Aborts what is under way. */
  signal: AbortSignal | undefined;
  /** Called for each failure that is tried again here, so that no caller hears of it. */
  note?: ((reason: FailureReason) => void) | undefined;
};

const mostRedirects = 3;
/** Connections that were kept and closed by the node just as they were used again: no question got through. */
const mostStaleSockets = 3;

export type HttpClient = {
  /**
   * @param read makes something of the answer; the bytes are its own until it returns. Of an answer with another
   *   HTTP status than 200 it may make nothing, by undefined.
   * @param largest most bytes of the answer; a larger one is refused before it fills the memory
   */
  post<Output>(
    body: string,
    read: (answer: Buffer, status: number) => Output | undefined,
    largest: number,
  ): Promise<Output>;
  close(): void;
};

/**
 * Posts JSON to one URL. Node's own client rather than fetch: for the thousands of small calls of a backfill
 * it takes a third of the time.
 */
export function createHttpClient(configured: string, { timeoutMs, signal, note }: HttpOptions): HttpClient {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const spare = createSpareBuffers();
  const underWay = new Set<() => void>();
  let target = new URL(configured);
  signal?.addEventListener("abort", () => {
    for (const stop of underWay) stop();
  });

  async function post<Output>(
    body: string,
    read: (answer: Buffer, status: number) => Output | undefined,
    largest: number,
  ): Promise<Output> {
    try {
      const { output, from, status } = await follow(body, read, largest);
      target = status === 200 ? from : new URL(configured);
      return output;
    } catch (error) {
      // Where a redirect led may be gone while the configured address is there.
      target = new URL(configured);
      throw error;
    }
  }

  async function follow<Output>(
    body: string,
    read: (answer: Buffer, status: number) => Output | undefined,
    largest: number,
  ): Promise<{ output: Output; from: URL; status: number }> {
    let url = target;
    for (let redirected = 0, stale = 0; ; ) {
      const answer = await exchange(url, body, read, largest);
      if (answer === "stale") {
        note?.("unreachable");
        stale += 1;
        if (stale <= mostStaleSockets) continue;
        throw new NodeError("unreachable", "The node closed the connection without an answer");
      }
      if ("output" in answer) return { ...answer, from: url };
      redirected += 1;
      if (redirected > mostRedirects) throw new NodeError("http_status", "The node redirects in circles");
      url = answer.redirected;
    }
  }

  function exchange<Output>(
    url: URL,
    body: string,
    read: (answer: Buffer, status: number) => Output | undefined,
    largest: number,
  ): Promise<{ output: Output; status: number } | { redirected: URL } | "stale"> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === "https:";
      const hide = hideSecretsOf(url.href);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        // Across a network hex shrinks to a third; on one machine packing it would only cost time.
        ...(secure && { "accept-encoding": "gzip" }),
      };
      const agent = secure ? agents.https : agents.http;
      const request = (secure ? requestHttps : requestHttp)(url, { method: "POST", agent, headers });
      let connected = false;
      let begun = false;
      request.on("socket", (socket) => {
        if (!socket.connecting) connected = true;
        else socket.once(secure ? "secureConnect" : "connect", () => (connected = true));
      });
      const end = () => {
        clearTimeout(timer);
        underWay.delete(stop);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
        request.destroy();
      };
      const stop = () => fail(away("The call was given up, because the process ends"));
      const late = () =>
        fail(new NodeError("timeout", `The node did not answer within ${timeoutMs / 1000} s`));
      const timer = setTimeout(late, timeoutMs);
      underWay.add(stop);
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (!begun && request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE")) {
          end();
          resolve("stale");
          return;
        }
        const message = `The node cannot be reached: ${hide(error.message)}`;
        fail(connected ? new NodeError("unreachable", message) : away(message));
      });
      request.on("response", (response) => {
        begun = true;
        const { statusCode = 0 } = response;
        readBody(response, spare.take(), largest).then(
          ({ buffer, size }) => {
            end();
            const answer = buffer.subarray(0, size);
            try {
              const redirected = redirectTarget(url, statusCode, response.headers.location);
              if (redirected !== undefined) resolve({ redirected });
              else resolve({ output: outputOf(response, answer, read, hide), status: statusCode });
            } catch (error) {
              reject(error instanceof RedirectError ? new NodeError("http_status", error.message) : error);
            }
            spare.give(buffer);
          },
          (error: Error) => fail(error),
        );
      });
      request.end(body);
      if (signal?.aborted) stop();
    });
  }

  return {
    post,
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function outputOf<Output>(
  response: IncomingMessage,
  answer: Buffer,
  read: (answer: Buffer, status: number) => Output | undefined,
  hide: (text: string) => string,
): Output {
  const { statusCode = 0 } = response;
  if (statusCode === 200) return read(answer, statusCode) as Output;
  // Reading may use up the answer.
  const failure = statusError(response, hide(answer.toString("utf8", 0, 4_096)));
  const output = failure.reason === "rate_limited" ? undefined : read(answer, statusCode);
  if (output === undefined) throw failure;
  return output;
}

function away(message: string): NodeError {
  const error = new NodeError("unreachable", message);
  error.away = true;
  return error;
}
