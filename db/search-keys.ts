import { hash } from "node:crypto";
import { fileKey, nameKey } from "../domain/search-keys.ts";

/** What an asset is found by, in the form of the columns of the same names. */
export type SearchKeys = { nameKey: string; fileDigest: Buffer | undefined };

/** Short enough for a small index, long enough that nobody makes two files meet in it. */
export const digestBytes = 12;

export function searchKeys(texts: { name: string; method: string; hash: string }): SearchKeys {
  return { nameKey: nameKey(texts.name), fileDigest: fileDigest(texts.method, texts.hash) };
}

/** @returns undefined where there is no hash */
export function fileDigest(method: string, text: string): Buffer | undefined {
  const key = fileKey(method, text);
  // By way of hex: a buffer of its own for each digest takes twice as long to make.
  return key === undefined
    ? undefined
    : Buffer.from(hash("sha256", key, "hex").slice(0, 2 * digestBytes), "hex");
}
