import { isAscii } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { NodeError } from "../errors/node-error.ts";

/**
 * Keeps buffers of answers for reuse. A backfill would allocate hundreds of megabytes of them, and V8 collects its whole
 * heap for every 64 MiB of memory that is freed outside of it.
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

/** A proxy in front of a node may compress without being asked to. */
function unpacking(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase() ?? "identity") {
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new NodeError("not_json", `The node's answer is packed in a way that is unknown: ${encoding}`);
  }
}

/** Reads an answer into `buffer`, or into a larger one where it is too small. */
async function readInto(
  response: IncomingMessage,
  buffer: Buffer,
  largest: number,
): Promise<{ buffer: Buffer; size: number }> {
  const unpacked = unpacking(response.headers["content-encoding"]);
  const body = unpacked === undefined ? response : response.pipe(unpacked);
  // A pipe passes on the end of its source, but not its destruction.
  if (unpacked !== undefined) response.on("error", (error) => unpacked.destroy(error));
  let size = 0;
  let target = buffer;
  await new Promise<void>((resolve, reject) => {
    body.on("data", (part: Buffer) => {
      if (size + part.length > largest) {
        reject(new NodeError("too_much", `The node's answer is over ${largest / 2 ** 20} MiB`));
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

/** Most answers are ASCII, which is read in a third of the time. */
const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? "latin1" : "utf8");

/** Reads whole answers as text. @throws NodeError `too_much` where one has more bytes than `largest` */
export function createBodyReader() {
  const spare = createSpareBuffers();
  return async (response: IncomingMessage, largest: number): Promise<string> => {
    const { buffer, size } = await readInto(response, spare.take(), largest);
    const text = textOf(buffer.subarray(0, size));
    spare.give(buffer);
    return text;
  };
}
