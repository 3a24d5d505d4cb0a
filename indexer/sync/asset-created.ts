import { detailFields } from "../../domain/asset/asset.ts";

const word = 32;

/**
 * Decodes the data of the event `AssetCreated`, which is a `bytes32` and a struct of eight strings. The texts stay bytes,
 * because one that is not valid UTF-8 must come out as it is, and are views of `data`. By hand, because viem takes twenty
 * times as long and a backfill decodes every asset. Padding is not checked: the asset's id commits to what comes out.
 * @throws Error where an offset or a length is out of bounds
 */
export function decodeAssetCreated(data: Uint8Array): { salt: Uint8Array; texts: Uint8Array[] } {
  const struct = readOffset(data, word);
  const texts = detailFields.map((_, index) => {
    const start = struct + readOffset(data, struct + word * index) + word;
    const end = start + readOffset(data, start - word);
    if (end > data.length) throw new Error("a text is longer than the data");
    return data.subarray(start, end);
  });
  return { salt: data.subarray(0, word), texts };
}

/** Reads an offset or a length: a word whose high 28 bytes are zero. */
function readOffset(data: Uint8Array, at: number): number {
  const end = at + word;
  if (end > data.length) throw new Error("the data ends early");
  let high = 0;
  for (let place = at; place < end - 4; place += 1) high |= data[place] as number;
  if (high !== 0) throw new Error("an offset leads out of the data");
  const upper = (data[end - 4] as number) * 256 + (data[end - 3] as number);
  return upper * 65_536 + (data[end - 2] as number) * 256 + (data[end - 1] as number);
}
