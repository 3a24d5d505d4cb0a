import type { Random } from "../simulation/random.ts";
import { readRaw, sendRaw } from "../support/raw-http.ts";
import type { FuzzRequest } from "./request.ts";

/** How long to wait for more: the server waits too, for the rest of a request that is cut off. */
const SILENCE_MS = 300;

/**
 * Sends the bytes of a request with some of them changed, lost or added.
 * @returns what is wrong with what came back; nothing at all may come back
 */
export async function sendMangled(
  port: number,
  random: Random,
  request: FuzzRequest,
): Promise<string | undefined> {
  const answer = await sendRaw(port, mangle(random, bytesOf(request)), SILENCE_MS).catch(() => "");
  if (answer === "") return undefined;
  if (!/^HTTP\/1\.1 [1-4]\d\d /.test(answer)) return `answered ${answer.slice(0, 300)}`;
  const { status, headers, body } = readRaw(answer);
  if (status < 400 || body === "") return undefined;
  const type = headers.get("content-type");
  if (type !== "application/json; charset=utf-8") return `answered ${status} as ${type}`;
  return body.startsWith('{"value":null,"error":{"code":"') ? undefined : `answered ${body.slice(0, 300)}`;
}

function bytesOf({ method, path, headers, body = "" }: FuzzRequest): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: a", `Content-Length: ${Buffer.byteLength(body)}`];
  const head = [...lines, ...headers.map((header) => header.join(": ")), "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]);
}

function mangle(random: Random, bytes: Buffer): Buffer {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const at = random.whole(0, random.chance(0.8) ? headEnd : bytes.length);
  const extra = random.pick([
    random.bytes(random.whole(1, 8)),
    Buffer.from("\r\n"),
    Buffer.from("\r\n\r\n"),
    Buffer.from("\r\nTransfer-Encoding: chunked\r\n"),
    Buffer.from("\r\nContent-Length: 5\r\n"),
    Buffer.from("\0"),
    Buffer.from(" HTTP/1.0\r\n"),
  ]);
  const lost = random.chance(0.5) ? random.whole(0, 10) : 0;
  return Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at + lost)]);
}
