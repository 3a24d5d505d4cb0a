/**
 * Names and values of file hashes in one normal form, so that `SHA-256` and `sha2-256`, capital digits,
 * `0x` and Base64 compare as what they are. The chain keeps what its author wrote; this only compares.
 */

import { hexOfBase32, hexOfBase64, isHex } from "./encodings.ts";
import {
  bytesOf,
  type HashMethod,
  isKnown,
  longestHashText,
  readMethod,
  squeezeMethod,
} from "./method-names.ts";
import { readMultihash } from "./multihash.ts";
import { withPlainDashes } from "./visible-text.ts";
import { type WrittenHash, writtenHashes } from "./written-hash.ts";

/** A digest in lower-case hex, and the name of its method without case and punctuation. */
export type FileHash = { method: HashMethod | (string & {}); digits: string };

/**
 * Reads a hash: hex (capital or not, with 0x, or with colons, spaces or dashes between groups), Base64, Base64url,
 * a multihash, or one of the forms of `writtenHashes`, which may name their method. A name in the text that is not
 * `method`, where the product knows that, makes it unreadable.
 * @returns undefined where the text is no digest; `method` is "" where neither text names one
 */
export function readFileHash(method: string, text: string): FileHash | undefined {
  if (method.length > longestHashText || text.length > longestHashText) return undefined;
  const plain = withPlainDashes(text).trim();
  // One form of Unicode may be longer than another.
  if (plain === "" || plain.length > longestHashText) return undefined;
  const asked = squeezeMethod(method);
  for (const written of writtenHashes(plain)) {
    const found = readAs(asked, written);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readAs(asked: string, { name, value, certain }: WrittenHash): FileHash | undefined {
  const said = name === undefined ? asked : squeezeMethod(name);
  if (said !== asked && isKnown(asked)) return undefined;
  if (name !== undefined && !certain && !isKnown(said) && (said !== asked || said === "")) return undefined;
  if (isKnown(said)) {
    const digits = readDigest(value, bytesOf(said));
    if (digits !== undefined) return { method: said, digits };
  }
  const multihash = readMultihash(value);
  if (multihash !== undefined) {
    return isKnown(said) && multihash.method !== said ? undefined : multihash;
  }
  if (isKnown(said)) return undefined;
  const digits = readAnyDigest(value);
  return digits === undefined ? undefined : { method: sized(said, digits), digits };
}

/** Methods with a variable length, which is part of their name. */
const sized = (name: string, digits: string): string =>
  name === "blake2b" || name === "blake2s" ? `${name}${4 * digits.length}` : name;

/** Hex of a digest of so many bytes. */
function readDigest(value: string, bytes: number): string | undefined {
  const hex = plainHex(value);
  // Hex of another length is a hash of another method, even where it has the length of this one's Base64.
  if (hex !== undefined) return hex.length === 2 * bytes ? hex : undefined;
  const base64 = hexOfBase64(value);
  if (base64?.length === Math.ceil((bytes * 4) / 3)) return base64.hex;
  const base32 = hexOfBase32(value);
  return base32?.length === 2 * bytes ? base32 : undefined;
}

/** Lengths in bytes of the digests that methods in use have. */
const usualBytes = [16, 20, 24, 28, 32, 40, 48, 64];
/** Fewest and most hex digits of a digest: from a checksum of 32 bits to 512 bits. */
const [fewestDigits, mostDigits] = [8, 128];

/** Reads a hash of an unknown method. */
function readAnyDigest(value: string): string | undefined {
  const hex = plainHex(value);
  if (hex !== undefined) {
    const isDigest = hex.length % 2 === 0 && hex.length >= fewestDigits && hex.length <= mostDigits;
    return isDigest ? hex : undefined;
  }
  const base64 = hexOfBase64(value);
  return usualBytes.some((bytes) => base64?.length === Math.ceil((bytes * 4) / 3)) ? base64?.hex : undefined;
}

/** Hex digits in lower case without 0x and group separators; undefined where it is no hex. */
function plainHex(value: string): string | undefined {
  const digits = value.replace(/^0x/i, "");
  if (isHex(digits)) return digits.toLowerCase();
  const separator = /[: -]/.exec(digits)?.[0];
  if (separator === undefined) return undefined;
  const groups = digits.split(separator);
  const size = groups[0]?.length ?? 0;
  const areEven = [2, 4, 8, 16].includes(size) && groups.every((group) => group.length === size);
  return areEven && groups.every(isHex) ? groups.join("").toLowerCase() : undefined;
}

/**
 * Result of comparing a file with a stored hash. Only `mismatch` means another file; the others say why the comparison
 * is impossible.
 */
export type HashVerdict =
  | "match"
  | "mismatch"
  | "no-hash"
  | "no-method"
  | "unknown-method"
  | "unreadable-hash";

/** A digest of a method that the product knows. */
export type KnownHash = { method: HashMethod; digits: string };

/**
 * Reads the method and hash of an asset.
 * @returns why no file can be compared with them, where that is so
 */
export function readStoredHash(stored: {
  method: string;
  hash: string;
}): KnownHash | Exclude<HashVerdict, "match" | "mismatch"> {
  if (stored.hash.trim() === "") return "no-hash";
  const read = readFileHash(stored.method, stored.hash);
  // The text may name its method.
  const method = readMethod(stored.method) ?? (read !== undefined && isKnown(read.method) ? read.method : "");
  if (method === "") return stored.method.trim() === "" ? "no-method" : "unknown-method";
  return read === undefined ? "unreadable-hash" : { method, digits: read.digits };
}

/** Compares a file's digest with the method and hash of an asset. */
export async function compareHash(
  stored: { method: string; hash: string },
  digestOf: (method: HashMethod) => Promise<string> | string,
): Promise<HashVerdict> {
  const read = readStoredHash(stored);
  if (typeof read === "string") return read;
  return read.digits === (await digestOf(read.method)).toLowerCase() ? "match" : "mismatch";
}
