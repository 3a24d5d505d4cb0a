import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { createGunzip } from "node:zlib";
import { hideSecretsOf } from "../domain/url-secrets.ts";
import { NodeError } from "./errors.ts";

export type HttpOptions = {
  /** For the whole exchange: an answer that has begun and does not end is late, too. */
  timeoutMs: number;
  /** Aborts what is under way. */
  signal: AbortSignal | undefined;
};

/** Larger answers are refused before they fill the memory. */
const largestBody = 256 * 1024 * 1024;

export type HttpClient = {
  /** @param read makes something of the answer; the bytes are its own until it returns */
  post<Output>(body: string, read: (answer: Buffer) => Output): Promise<Output>;
  close(): void;
};

/**
 * Posts JSON to one URL. Node's own client rather than fetch: for the thousands of small calls of a backfill
 * it takes a third of the time.
 */
export function createHttpClient(target: string, { timeoutMs, signal }: HttpOptions): HttpClient {
  const url = new URL(target);
  const hide = hideSecretsOf(target);
  const secure = url.protocol === "https:";
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = secure ? requestHttps : requestHttp;
  const headers = {
    "content-type": "application/json",
    // Across a network hex shrinks to a third; on one machine packing it would only cost time.
    ...(secure && { "accept-encoding": "gzip" }),
  };
  const spare = createSpareBuffers();
  const underWay = new Set<() => void>();
  signal?.addEventListener("abort", () => {
    for (const stop of underWay) stop();
  });

  function post<Output>(body: string, read: (answer: Buffer) => Output): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
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
        fail(new NodeError("unreachable", `The node cannot be reached: ${hide(error.message)}`)),
      );
      request.on("response", (response) => {
        readBody(response, spare.take()).then(
          ({ buffer, size }) => {
            end();
            const { statusCode = 0 } = response;
            const answer = buffer.subarray(0, size);
            try {
              if (statusCode === 200) resolve(read(answer));
              else reject(statusError(response, hide(answer.toString("utf8", 0, 4_096))));
            } catch (error) {
              reject(error);
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

  return { post, close: () => agent.destroy() };
}

/**
 * Buffers for answers, used again: a backfill would make hundreds of megabytes of them, and each 64 MiB that
 * JavaScript has let go of outside of its heap make it look through all of that.
 */
function createSpareBuffers() {
  const [mostKept, largestKept] = [8, 16 * 1024 * 1024];
  const kept: Buffer[] = [];
  return {
    take: (): Buffer => kept.pop() ?? Buffer.allocUnsafeSlow(16 * 1024),
    give(buffer: Buffer): void {
      if (kept.length < mostKept && buffer.length <= largestKept) kept.push(buffer);
    },
  };
}

/** Reads an answer into `buffer`, or into a larger one where it is too small. */
async function readBody(
  response: IncomingMessage,
  buffer: Buffer,
): Promise<{ buffer: Buffer; size: number }> {
  const packed = response.headers["content-encoding"] === "gzip";
  const body = packed ? response.pipe(createGunzip()) : response;
  // A pipe hands on the end of its source, but not its death.
  if (packed) response.on("error", (error) => body.destroy(error));
  let size = 0;
  let target = buffer;
  await new Promise<void>((resolve, reject) => {
    body.on("data", (part: Buffer) => {
      if (size + part.length > largestBody) {
        reject(new NodeError("too_much", "The node's answer is over 256 MiB"));
        return;
      }
      if (size + part.length > target.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * target.length, size + part.length));
        target.copy(larger, 0, 0, size);
        target = larger;
      }
      part.copy(target, size);
      size += part.length;
    });
    body.on("end", resolve);
    const broke = (error: Error) =>
      reject(new NodeError("unreachable", `The node's answer broke off: ${error.message}`));
    body.on("error", broke);
    body.on("close", () => broke(new Error("the connection was closed")));
  });
  return { buffer: target, size };
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
