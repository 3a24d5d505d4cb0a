import type { Hex } from "viem";
import { detailFields, mapDetails, type RawDetails } from "../domain/asset.ts";

// Copied for each asset: building such an object anew takes longer than filling it.
const unread: RawDetails = mapDetails(() => new Uint8Array());

/**
 * Reads the data of `AssetCreated`: the salt and the eight texts, as bytes, because a text that is no valid
 * UTF-8 must come out as it is. The texts are views into one buffer.
 *
 * Written by hand: a general decoder takes 20 times as long, and a backfill reads every asset. It needs to be
 * no stricter than its bounds, since the id commits to whatever comes out.
 * @throws Error where an offset or a length leads out of the data
 */
export function readCreation(data: Uint8Array): { salt: Hex; details: RawDetails } {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const struct = readCount(bytes, 32);
  const texts = { ...unread };
  let head = struct;
  for (const field of detailFields) {
    const start = struct + readCount(bytes, head);
    const length = readCount(bytes, start);
    if (start + 32 + length > bytes.length) throw new Error("a text is longer than the data");
    texts[field] = bytes.subarray(start + 32, start + 32 + length);
    head += 32;
  }
  return { salt: `0x${bytes.toString("hex", 0, 32)}`, details: texts };
}

/** An offset or a length: a word of which all but the last four bytes are zero, or it leads out of the data. */
function readCount(bytes: Buffer, at: number): number {
  if (at + 32 > bytes.length) throw new Error("the data ends early");
  for (let place = at; place < at + 28; place += 4) {
    if (bytes.readUInt32BE(place) !== 0) throw new Error("an offset leads out of the data");
  }
  return bytes.readUInt32BE(at + 28);
}
