import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { hideSecretsOf } from "../../domain/url/secrets.ts";
import { NodeError } from "../errors/node-error.ts";
import { createBodyReader } from "./body.ts";

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

/**
 * Single exchanges by Node's own HTTP client rather than fetch: for the thousands of small calls of a backfill it
 * takes a third of the time.
 */
export function createExchanges(timeoutMs: number, signal: AbortSignal | undefined) {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const readBody = createBodyReader();
  const underWay = new Set<() => void>();
  signal?.addEventListener("abort", () => {
    for (const stop of underWay) stop();
  });

  /** @returns `stale` where a kept connection was closed by the node just as it was used again */
  const post = (url: URL, body: string, largest: number): Promise<HttpAnswer | "stale"> =>
    new Promise((resolve, reject) => {
      const secure = url.protocol === "https:";
      const hide = hideSecretsOf(url.href);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        // Over a network hex compresses to a third; on one machine it would only cost time.
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
        readBody(response, largest).then((text) => {
          end();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        }, fail);
      });
      request.end(body);
      if (signal?.aborted) stop();
    });

  return {
    post,
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function away(message: string): NodeError {
  const error = new NodeError("unreachable", message);
  error.away = true;
  return error;
}
