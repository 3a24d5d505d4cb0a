import { isAscii } from "node:buffer";
import { decodeHex } from "../../db/core/bytes.ts";
import { takeMemory } from "./log-memory.ts";
import { type Run, scanLogs } from "./log-scan.ts";

/** How the bytes of a log begin in an answer. In JSON no text can hold it: a quotation mark in a text is escaped. */
const begin = Buffer.from('"data":"0x');
const quotationMark = 0x22;
/** Digits of `data` that are worth taking out. */
const fewest = 64;

/**
 * Parses an answer with logs. Those that are written as nodes write them are read from its bytes. Of what is left,
 * most are the digits of `data`: they become bytes before the rest is parsed as JSON, so they never are texts that
 * take time to make and to throw away. A `data` that is short, no hex or written in another way stays as the node
 * wrote it. Uses up `body`.
 * @throws SyntaxError where it is no JSON
 */
export function parseWithLogData(body: Buffer): unknown {
  // Half as many bytes as there are digits.
  const bytes = takeMemory(body.length >> 1);
  const { runs, used } = scanLogs(body, bytes);
  const { rest, values } = takeOutData(takeOutRuns(body, runs), bytes, used);
  return putBack(JSON.parse(textOf(rest)), runs, values);
}

/** Moves what stands between to the front, and a number stands for each run. */
function takeOutRuns(body: Buffer, runs: readonly Run[]): Buffer {
  let written = 0;
  let copied = 0;
  for (const [index, { start, end }] of runs.entries()) {
    body.copyWithin(written, copied, start);
    written += start - copied;
    written += body.write(String(index), written, "latin1");
    copied = end;
  }
  if (copied === 0) return body;
  body.copyWithin(written, copied);
  return body.subarray(0, written + body.length - copied);
}

function takeOutData(body: Buffer, bytes: Buffer, from: number): { rest: Buffer; values: Uint8Array[] } {
  const values: Uint8Array[] = [];
  let used = from;
  let written = 0;
  let copied = 0;
  for (let at = body.indexOf(begin); at >= 0; ) {
    const start = at + begin.length;
    const end = body.indexOf(quotationMark, start);
    if (end < 0) break;
    const digits = end - start;
    if (digits >= fewest && decodeHex(body, [start, end], bytes, used)) {
      const size = digits / 2;
      body.copyWithin(written, copied, start - 3);
      written += start - 3 - copied;
      written += body.write(String(values.length), written, "latin1");
      values.push(bytes.subarray(used, used + size));
      used += size;
      copied = end + 1;
    }
    at = body.indexOf(begin, end);
  }
  if (copied === 0) return { rest: body, values };
  body.copyWithin(written, copied);
  return { rest: body.subarray(0, written + body.length - copied), values };
}

/** Most answers are ASCII, which is read in a third of the time. */
export const textOf = (body: Buffer): string => body.toString(isAscii(body) ? "latin1" : "utf8");

/**
 * Puts logs and bytes where numbers stand for them: in one answer or in several. A node that writes such a number
 * itself only says what it could have said in full.
 */
function putBack(parsed: unknown, runs: (Run | undefined)[], values: readonly Uint8Array[]): unknown {
  for (const answer of (Array.isArray(parsed) ? parsed : [parsed]) as ({ result?: unknown } | null)[]) {
    const list = answer?.result;
    if (!Array.isArray(list)) continue;
    for (const log of list as ({ data?: unknown } | null)[]) {
      if (typeof log?.data === "number") log.data = values[log.data];
    }
    if (runs.length > 0) (answer as { result: unknown }).result = withRuns(list, runs);
  }
  return parsed;
}

/** Each run once: a list of numbers must not become a list of a million times as many logs. */
function withRuns(list: readonly unknown[], runs: (Run | undefined)[]): unknown[] {
  const logs: unknown[] = [];
  for (const entry of list) {
    const run = typeof entry === "number" ? runs[entry] : undefined;
    if (run === undefined) logs.push(entry);
    else {
      for (const log of run.logs) logs.push(log);
      runs[entry as number] = undefined;
    }
  }
  return logs;
}
