import { numberOf, word } from "../bytes/bytes.ts";
import { decodeRlp, isBytes } from "../trie/rlp.ts";

/** An asset's record in the registry's storage; times in Unix seconds, zero where it did not happen. */
export type AssetRecord = { author: Uint8Array; createdOn: number; cancelledOn: number };

/** A link's record; times in Unix seconds, zero where it did not happen. */
export type LinkRecord = { addedOn: number; revokedOn: number };

/**
 * Word of a storage slot from the value in its trie leaf: RLP of the bytes without zeros in front.
 * @returns undefined where the value is none
 */
function readWord(value: Uint8Array): Uint8Array | undefined {
  const item = decodeRlp(value);
  if (!isBytes(item) || item.length > 32 || (item[0] ?? 0) === 0) return undefined;
  return word(item);
}

/** Unpacks `struct { address author; uint48 createdOn; uint48 cancelledOn; }`, which begins at a word's low end. */
export function readAssetRecord(value: Uint8Array): AssetRecord | undefined {
  const read = readWord(value);
  return (
    read && {
      author: read.subarray(12),
      createdOn: numberOf(read.subarray(6, 12)),
      cancelledOn: numberOf(read.subarray(0, 6)),
    }
  );
}

/**
 * Unpacks `struct { uint48 addedOn; uint48 revokedOn; }`.
 * @returns undefined where the value is none, or the rest of the word is not zero
 */
export function readLinkRecord(value: Uint8Array): LinkRecord | undefined {
  const read = readWord(value);
  if (read === undefined || read.subarray(0, 20).some((byte) => byte !== 0)) return undefined;
  return { addedOn: numberOf(read.subarray(26)), revokedOn: numberOf(read.subarray(20, 26)) };
}
