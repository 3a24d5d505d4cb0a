import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const unpackers = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** The body of a node's answer. A proxy in front of the node may pack what nobody asked it to pack. */
export function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return response;
  const unpack = unpackers.get(encoding)?.();
  if (unpack === undefined) {
    response.destroy();
    throw new Error("The node's answer is packed in a way that is unknown");
  }
  // Whoever reads it hears of what breaks it.
  return pipeline(response, unpack, () => undefined);
}
