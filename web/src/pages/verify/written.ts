import { type HashMethod, hashMethods, readFileHash } from "asset-registry-proof";
import type { Digests } from "../../file/digests.ts";

/** What a pasted text can mean: the id of an asset, digests by each method that has such ones, or either. */
export type Written = { assetId: string | undefined; digests: Digests };

/** Longest text that is read; the address of an asset's page is the longest that means something. */
const longest = 2_048;

/**
 * Reads an asset's id, the address of its page, or a hash in any usual form. A hash that does not name its method may be
 * one of several: none is guessed.
 * @returns undefined where the text is none of these
 */
export function readWritten(text: string): Written | undefined {
  const plain = text.trim();
  if (plain.length > longest) return undefined;
  const assetId = readAssetId(plain);
  const digests = new Map<HashMethod, string>();
  for (const method of hashMethods) {
    const read = readFileHash(method, plain);
    if (read !== undefined) digests.set(method, read.digits);
  }
  return assetId === undefined && digests.size === 0 ? undefined : { assetId, digests };
}

/** @returns the id in lower case with 0x; undefined where the text holds none */
export function readAssetId(text: string): string | undefined {
  const [, digits] =
    /^(?:https?:\/\/[^?#]*\/assets\/)?(?:0x)?([0-9a-f]{64})\/?(?:[?#].*)?$/i.exec(text) ?? [];
  return digits && `0x${digits.toLowerCase()}`;
}
