import { isAscii } from "node:buffer";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { createGunzip } from "node:zlib";
import { NodeError } from "./errors.ts";

export type HttpOptions = {
  /** For the whole exchange: an answer that has begun and does not end is late, too. */
  timeoutMs: number;
  /** Aborts what is under way. */
  signal: AbortSignal | undefined;
};

/** Larger answers are refused before they fill the memory. */
const largestBody = 256 * 1024 * 1024;

export type HttpClient = { post(body: string): Promise<string>; close(): void };

/**
 * Posts JSON to one URL. Node's own client rather than fetch: for the thousands of small calls of a backfill
 * it takes a third of the time.
 */
export function createHttpClient(target: string, { timeoutMs, signal }: HttpOptions): HttpClient {
  const url = new URL(target);
  const secure = url.protocol === "https:";
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = secure ? requestHttps : requestHttp;
  const headers = {
    "content-type": "application/json",
    // Across a network hex shrinks to a third; on one machine packing it would only cost time.
    ...(secure && { "accept-encoding": "gzip" }),
  };
  const underWay = new Set<() => void>();
  signal?.addEventListener("abort", () => {
    for (const stop of underWay) stop();
  });

  function post(body: string): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const request = send(url, { method: "POST", agent, headers });
      const end = () => {
        clearTimeout(timer);
        underWay.delete(stop);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
        request.destroy();
      };
      const stop = () =>
        fail(new NodeError("unreachable", "The call was given up, because the process ends"));
      const late = () =>
        fail(new NodeError("timeout", `The node did not answer within ${timeoutMs / 1000} s`));
      const timer = setTimeout(late, timeoutMs);
      underWay.add(stop);
      request.on("error", (error) =>
        fail(new NodeError("unreachable", `The node cannot be reached: ${error.message}`)),
      );
      request.on("response", (response) => {
        readBody(response).then(
          (text) => {
            end();
            const { statusCode = 0 } = response;
            if (statusCode === 200) resolve(text);
            else reject(statusError(response, text));
          },
          (error: Error) => fail(error),
        );
      });
      request.end(body);
      if (signal?.aborted) stop();
    });
  }

  return { post, close: () => agent.destroy() };
}

async function readBody(response: IncomingMessage): Promise<string> {
  const packed = response.headers["content-encoding"] === "gzip";
  const body = packed ? response.pipe(createGunzip()) : response;
  // A pipe hands on the end of its source, but not its death.
  if (packed) response.on("error", (error) => body.destroy(error));
  const parts: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    body.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > largestBody) reject(new NodeError("too_much", "The node's answer is over 256 MiB"));
    });
    body.on("end", resolve);
    const broke = (error: Error) =>
      reject(new NodeError("unreachable", `The node's answer broke off: ${error.message}`));
    body.on("error", broke);
    body.on("close", () => broke(new Error("the connection was closed")));
  });
  const whole = Buffer.concat(parts, size);
  // Most answers are ASCII, which is read in a third of the time.
  return whole.toString(isAscii(whole) ? "latin1" : "utf8");
}

function statusError(response: IncomingMessage, text: string): NodeError {
  const { statusCode = 0, headers } = response;
  const retryAfter = parseRetryAfter(headers["retry-after"]);
  const said = text.replaceAll(/\s+/g, " ").slice(0, 200);
  const message = `The node answered by HTTP ${statusCode}: ${said}`;
  if (statusCode === 429 || (statusCode === 503 && retryAfter !== undefined)) {
    return new NodeError("rate_limited", message, retryAfter);
  }
  if (statusCode === 413) return new NodeError("too_much", message);
  return new NodeError("http_status", message);
}

/** A longer rest than this is not taken at the word of one answer. */
const longestRest = 300_000;

/** Reads `Retry-After`, which is seconds or a date. */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const isDate = /[a-z]{3}/i.test(value);
  const ms = isDate
    ? Date.parse(value) - now
    : /^\s*\d+(\.\d+)?\s*$/.test(value)
      ? Number(value) * 1000
      : NaN;
  return Number.isFinite(ms) ? Math.min(longestRest, Math.max(0, ms)) : undefined;
}
