import { RLP } from "@ethereumjs/rlp";

/** An item of RLP: a byte string, or a list of items. */
export type RlpItem = Uint8Array | RlpItem[];

/**
 * Decodes bytes that are one item of RLP in its canonical form, with nothing behind it.
 * @returns undefined where they are none; callers bound their length
 */
export function decodeRlp(bytes: Uint8Array): RlpItem | undefined {
  // The library takes no bytes at all for an empty string.
  if (bytes.length === 0) return undefined;
  try {
    return RLP.decode(bytes) as RlpItem;
  } catch {
    return undefined;
  }
}

/** Length in bytes of an item's RLP. */
export const rlpLength = (item: RlpItem): number => RLP.encode(item).length;

export const isBytes = (item: RlpItem | undefined): item is Uint8Array => item instanceof Uint8Array;
