/**
 * Names and values of file hashes in one normal form, so that `SHA-256` and `sha2-256`, capital digits,
 * `0x` and Base64 compare as what they are. The chain keeps what its author wrote; this only compares.
 */

import { limits } from "./limits.ts";

/** Digest length in bytes of each method that the product can name. */
const digestBytes = {
  md5: 16,
  sha1: 20,
  ripemd160: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
  "sha512-224": 28,
  "sha512-256": 32,
  "sha3-224": 28,
  "sha3-256": 32,
  "sha3-384": 48,
  "sha3-512": 64,
  keccak256: 32,
  blake2b512: 64,
  blake2s256: 32,
} as const;

export type HashMethod = keyof typeof digestBytes;

/** Hex digits of a hash of this method. */
export const digitsOf = (method: HashMethod): number => 2 * digestBytes[method];

/** Longest text of a method or a hash that is read at all, in UTF-16 units: nobody can search for a longer one. */
export const longestHashText = 2 * Math.max(limits.text.hash, limits.text.method);

const squeeze = (name: string) => name.toLowerCase().replace(/[\s_/.-]/g, "");

const spellings = new Map<string, HashMethod>(
  (Object.keys(digestBytes) as HashMethod[]).flatMap((method) => {
    const plain = squeeze(method);
    // "SHA2-256" names the family, "SHA-256" leaves it out.
    const family = /^sha(224|256|384|512)/.test(plain)
      ? [[plain.replace("sha", "sha2"), method] as const]
      : [];
    return [[plain, method] as const, ...family];
  }),
);

/** Of many assets most have one spelling, which is read once. */
let latest: { name: string; method: HashMethod | undefined } = { name: "", method: undefined };

/** @returns the method that a name means, or undefined where it is none that the product knows */
export function readMethod(name: string): HashMethod | undefined {
  if (name.length > longestHashText) return undefined;
  if (name !== latest.name) latest = { name, method: spellings.get(squeeze(name)) };
  return latest.method;
}

/**
 * Reads a hash as hex (capital or not, with or without 0x) or Base64 (plain, URL or with `sha256-` in front).
 * White space around it and the method's name with a colon, an equals sign or a dash in front are left out.
 * @returns lower-case hex without 0x, or undefined where the text is no hash of this method
 */
export function readHash(text: string, method: HashMethod): string | undefined {
  if (text.length > longestHashText) return undefined;
  const length = digestBytes[method];
  // As most are written, and told in a tenth of the time.
  if (text.length === length * 2 && /^[0-9a-f]+$/.test(text)) return text;
  const value = withoutMethod(text.trim(), method);
  const hex = value.replace(/^0x/i, "");
  // Hex of another length is a hash of another method, even where it has the length of this one's Base64.
  if (/^[0-9a-f]+$/i.test(hex)) return hex.length === length * 2 ? hex.toLowerCase() : undefined;
  const base64 = value.replaceAll("-", "+").replaceAll("_", "/");
  const [, digits = ""] = /^([A-Za-z0-9+/]+)={0,2}$/.exec(base64) ?? [];
  if (digits.length !== Math.ceil((length * 4) / 3)) return undefined;
  const bytes = Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Longest spelling of a method with its separator, spaces included. */
const longestPrefix = 24;

/** Names of methods and Base64 may hold the separator themselves, so each one is tried as the end of the name. */
function withoutMethod(text: string, method: HashMethod): string {
  for (const { index } of text.slice(0, longestPrefix).matchAll(/[:=-]/g)) {
    if (readMethod(text.slice(0, index)) === method) return text.slice(index + 1).trim();
  }
  return text;
}

/**
 * What a comparison of a file with a stored hash comes to. Only `mismatch` says that the file is another
 * one; the rest say why nothing could be compared.
 */
export type HashVerdict =
  | "match"
  | "mismatch"
  | "no-hash"
  | "no-method"
  | "unknown-method"
  | "unreadable-hash";

/** Compares a digest that was made of a file with the method and hash that an asset carries. */
export async function compareHash(
  stored: { method: string; hash: string },
  digestOf: (method: HashMethod) => Promise<string> | string,
): Promise<HashVerdict> {
  if (stored.hash.trim() === "") return "no-hash";
  if (stored.method.trim() === "") return "no-method";
  const method = readMethod(stored.method);
  if (method === undefined) return "unknown-method";
  const hash = readHash(stored.hash, method);
  if (hash === undefined) return "unreadable-hash";
  return hash === (await digestOf(method)).toLowerCase() ? "match" : "mismatch";
}
