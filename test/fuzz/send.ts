import { Agent, type IncomingMessage, request as open } from "node:http";
import type { FuzzRequest } from "./request.ts";

export type FuzzAnswer = {
  status: number;
  contentType: string | null;
  requestId: string | undefined;
  body: string;
};

const SILENCE_MS = 30_000;
/** So much may be cut off by the server before it was sent, and the answer with it. */
const LARGE = 16_384;

/**
 * Sends a request as it is, nothing made tidy.
 * @returns undefined where the server had the right to hang up before all of a large request was there
 */
export async function sendFuzz(
  port: number,
  agent: Agent,
  request: FuzzRequest,
): Promise<FuzzAnswer | undefined> {
  try {
    return await once(port, agent, request);
  } catch (error) {
    if (!isHangUp(error)) throw error;
  }
  // A connection that was kept alive may have been closed just then.
  const alone = new Agent();
  try {
    return await once(port, alone, request);
  } catch (error) {
    if (isHangUp(error) && JSON.stringify(request).length > LARGE) return undefined;
    throw error;
  } finally {
    alone.destroy();
  }
}

const isHangUp = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code));

function once(port: number, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    // As a flat list, so that a header can be sent twice; Node adds no Host to such a list.
    const named = new Set(headers.map(([name]) => name.toLowerCase()));
    const all = [...headers];
    if (!named.has("host")) all.push(["Host", "127.0.0.1"]);
    if (body !== undefined) all.push(["Content-Length", String(Buffer.byteLength(body))]);
    const sent = open({ host: "127.0.0.1", port, agent, method, path, headers: all.flat() }, (response) =>
      read(response).then(resolve, reject),
    );
    sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error(`no answer within ${SILENCE_MS} ms`)));
    sent.on("error", reject);
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("the server changed its protocol"));
    });
    sent.end(body);
  });
}

/** Of a stream of events, which goes on for ever, only the beginning is read. */
const STREAM_MS = 300;

async function read(response: IncomingMessage): Promise<FuzzAnswer> {
  const chunks: Buffer[] = [];
  const isStream = /^text\/event-stream\b/.test(response.headers["content-type"] ?? "");
  if (isStream) setTimeout(() => response.destroy(), STREAM_MS);
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isStream) throw error;
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? null,
    requestId: response.headers["x-request-id"]?.toString(),
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
