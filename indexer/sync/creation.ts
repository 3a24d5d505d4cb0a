import { detailFields } from "../../domain/asset/asset.ts";

/**
 * Locates the eight texts in the data of `AssetCreated`, which `bytes` holds from `begin` to `end`. They stay bytes,
 * because a text may be invalid UTF-8.
 *
 * Written by hand: a general decoder takes 20 times as long, and a backfill reads every asset. It needs to be
 * no stricter than its bounds, since the id commits to whatever comes out.
 * @returns start and end of each text
 * @throws Error where an offset or a length is out of bounds
 */
export function readCreation(bytes: Uint8Array, begin: number, end: number): number[] {
  const struct = begin + readCount(bytes, begin + 32, end);
  const texts: number[] = [];
  for (let text = 0; text < detailFields.length; text += 1) {
    const start = struct + readCount(bytes, struct + 32 * text, end) + 32;
    const after = start + readCount(bytes, start - 32, end);
    if (after > end) throw new Error("a text is longer than the data");
    texts.push(start, after);
  }
  return texts;
}

/** Reads an offset or a length: a word whose high 28 bytes are zero. */
function readCount(bytes: Uint8Array, at: number, last: number): number {
  const end = at + 32;
  if (end > last) throw new Error("the data ends early");
  let high = 0;
  for (let place = at; place < end - 4; place += 1) high |= bytes[place] as number;
  if (high !== 0) throw new Error("an offset leads out of the data");
  const upper = (bytes[end - 4] as number) * 256 + (bytes[end - 3] as number);
  return upper * 65_536 + (bytes[end - 2] as number) * 256 + (bytes[end - 1] as number);
}
