import { hash } from "node:crypto";
import { digitsOf, readMethod } from "../../domain/file-hash/methods.ts";
import { fileKey, nameKey } from "../../domain/search/search-keys.ts";

/**
 * Of the forms that `searchKeys` makes. Raised with every change to one of them, so that the indexer brings the
 * rows of an existing index to it.
 */
export const searchKeysVersion = 2;

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

/** The character that each ASCII character becomes in a name's key, and 0 where it only parts words. */
const keyCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  nameKey(String.fromCharCode(code)).charCodeAt(0),
);
/** Longer names go the long way, which cuts them. */
export const longestPlainName = 256;
const space = 0x20;

/**
 * Writes `nameKey` of a name in ASCII into `target`, without a text of it.
 * @returns how many bytes it has; -1 where they are not, or too many, or one is zero, which is shown as another
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

/** The method that an asset named last, as most name the same, and the key of a file with room for its digits. */
let latest: { name: Uint8Array; key: Uint8Array; digits: number } | undefined;
/** Longer names of methods go the long way. */
const longestMethod = 32;
const [digit0, digit9, letterA, letterF] = [0x30, 0x39, 0x61, 0x66];

/**
 * Writes `fileDigest` of a method and a hash in bytes, without making texts of them, where the method is one that
 * the product knows and the hash is written as most are: in small digits and nothing else.
 * @returns whether it is
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
