import { hash } from "node:crypto";
import { fileKey, nameKey } from "../../domain/search/search-keys.ts";
import { digitsOf, readMethod } from "../../proof/src/file-hash/method-names.ts";

/** Search keys of an asset, in the form of the columns of the same names. */
export type SearchKeys = { nameKey: string; fileDigest: Buffer | undefined };

/** Bytes of a digest key: short enough for a small index, long enough against collisions. */
export const digestBytes = 12;

export function searchKeys(texts: { name: string; method: string; hash: string }): SearchKeys {
  return { nameKey: nameKey(texts.name), fileDigest: fileDigest(texts.method, texts.hash) };
}

/** @returns undefined where there is no hash */
export function fileDigest(method: string, text: string): Buffer | undefined {
  const key = fileKey(method, text);
  // Through hex, because a buffer for each digest takes twice as long.
  return key === undefined
    ? undefined
    : Buffer.from(hash("sha256", key, "hex").slice(0, 2 * digestBytes), "hex");
}

/** Maps each ASCII character to its character in a name's key, and separators of words to 0. */
const keyCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  nameKey(String.fromCharCode(code)).charCodeAt(0),
);
/** Longer names take the general path, which truncates them. */
export const longestPlainName = 256;
const space = 0x20;

/**
 * Writes `nameKey` of an ASCII name into `target` without decoding it.
 * @returns its length in bytes; -1 where the name is not ASCII, too long, or has a zero byte
 */
export function writePlainNameKey(name: Uint8Array, target: Uint8Array): number {
  if (name.length > longestPlainName) return -1;
  let size = 0;
  let gap = false;
  for (let at = 0; at < name.length; at += 1) {
    const code = name[at] as number;
    if (code === 0 || code > 127) return -1;
    const character = keyCharacters[code] as number;
    if (character === 0) {
      gap = size > 0;
      continue;
    }
    if (gap) target[size++] = space;
    gap = false;
    target[size++] = character;
  }
  return size;
}

/** Caches the last method, since most assets have the same, and a file key with room for its digits. */
let latest: { name: Uint8Array; key: Uint8Array; digits: number } | undefined;
/** Longer names of methods take the general path. */
const longestMethod = 32;
const [digit0, digit9, letterA, letterF] = [0x30, 0x39, 0x61, 0x66];

/**
 * Writes `fileDigest` of a method and a hash in bytes without decoding them, where the method is known and the hash is
 * in lower-case hex.
 * @returns whether it did
 */
export function writePlainFileDigest(method: Uint8Array, digitsOfHash: Uint8Array, target: Buffer): boolean {
  if (latest === undefined || Buffer.compare(method, latest.name) !== 0) {
    const known = method.length <= longestMethod ? readPlainMethod(method) : undefined;
    if (known === undefined) return false;
    latest = known;
  }
  const { key, digits } = latest;
  if (digitsOfHash.length !== digits) return false;
  const begin = key.length - digits;
  for (let index = 0; index < digits; index += 1) {
    const code = digitsOfHash[index] as number;
    if (code < digit0 || code > letterF || (code > digit9 && code < letterA)) return false;
    key[begin + index] = code;
  }
  target.write(hash("sha256", key, "hex"), 0, digestBytes, "hex");
  return true;
}

function readPlainMethod(name: Uint8Array): typeof latest {
  if (name.some((code) => code === 0 || code > 127)) return undefined;
  const known = readMethod(Buffer.from(name).toString("latin1"));
  if (known === undefined) return undefined;
  const digits = digitsOf(known);
  return { name: Uint8Array.from(name), key: Buffer.from(`${known}:${"0".repeat(digits)}`), digits };
}
