import { isAscii } from "node:buffer";
import { decodeHex } from "../db/hex.ts";

/** How the bytes of a log begin in an answer. In JSON no text can hold it: a quotation mark in a text is escaped. */
const begin = Buffer.from('"data":"0x');
const quotationMark = 0x22;
/** Digits of `data` that are worth taking out. */
const fewest = 64;

/**
 * Parses an answer with logs. Nine tenths of it are the digits of `data`: they become bytes before the rest is
 * parsed as JSON, so they never are texts that take time to make and to throw away. A `data` that is short, no
 * hex or written in another way stays as the node wrote it. Uses up `body`.
 * @throws SyntaxError where it is no JSON
 */
export function parseWithLogData(body: Buffer): unknown {
  const values: Uint8Array[] = [];
  // Half as many bytes as there are digits.
  const bytes = Buffer.allocUnsafeSlow(body.length >> 1);
  let used = 0;
  let written = 0;
  let copied = 0;
  for (let at = body.indexOf(begin); at >= 0; ) {
    const start = at + begin.length;
    const end = body.indexOf(quotationMark, start);
    if (end < 0) break;
    const digits = end - start;
    if (digits >= fewest && decodeHex(body, [start, end], bytes, used)) {
      const size = digits / 2;
      // What stands between is moved to the front, and a number stands for the bytes.
      body.copyWithin(written, copied, start - 3);
      written += start - 3 - copied;
      written += body.write(String(values.length), written, "latin1");
      values.push(bytes.subarray(used, used + size));
      used += size;
      copied = end + 1;
    }
    at = body.indexOf(begin, end);
  }
  body.copyWithin(written, copied);
  return putBack(JSON.parse(textOf(body.subarray(0, written + body.length - copied))), values);
}

/** Most answers are ASCII, which is read in a third of the time. */
export const textOf = (body: Buffer): string => body.toString(isAscii(body) ? "latin1" : "utf8");

/**
 * Puts the bytes where numbers stand for them: in the logs of one answer or of several. A node that writes such
 * a number itself only says what it could have said in digits.
 */
function putBack(parsed: unknown, values: readonly Uint8Array[]): unknown {
  for (const answer of Array.isArray(parsed) ? parsed : [parsed]) {
    const logs = (answer as { result?: unknown } | null)?.result;
    if (!Array.isArray(logs)) continue;
    for (const log of logs as ({ data?: unknown } | null)[]) {
      if (typeof log?.data === "number") log.data = values[log.data];
    }
  }
  return parsed;
}
