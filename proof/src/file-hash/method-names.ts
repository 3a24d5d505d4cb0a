import { withPlainDashes } from "./visible-text.ts";

/** Each method that the product knows: the length of its digests in bytes, and its name as people write it. */
const known = {
  md5: { bytes: 16, name: "MD5" },
  sha1: { bytes: 20, name: "SHA-1" },
  ripemd160: { bytes: 20, name: "RIPEMD-160" },
  sha224: { bytes: 28, name: "SHA2-224" },
  sha256: { bytes: 32, name: "SHA2-256" },
  sha384: { bytes: 48, name: "SHA2-384" },
  sha512: { bytes: 64, name: "SHA2-512" },
  "sha512-224": { bytes: 28, name: "SHA2-512/224" },
  "sha512-256": { bytes: 32, name: "SHA2-512/256" },
  "sha3-224": { bytes: 28, name: "SHA3-224" },
  "sha3-256": { bytes: 32, name: "SHA3-256" },
  "sha3-384": { bytes: 48, name: "SHA3-384" },
  "sha3-512": { bytes: 64, name: "SHA3-512" },
  keccak224: { bytes: 28, name: "Keccak-224" },
  keccak256: { bytes: 32, name: "Keccak-256" },
  keccak384: { bytes: 48, name: "Keccak-384" },
  keccak512: { bytes: 64, name: "Keccak-512" },
  blake2b160: { bytes: 20, name: "BLAKE2b-160" },
  blake2b256: { bytes: 32, name: "BLAKE2b-256" },
  blake2b384: { bytes: 48, name: "BLAKE2b-384" },
  blake2b512: { bytes: 64, name: "BLAKE2b-512" },
  blake2s128: { bytes: 16, name: "BLAKE2s-128" },
  blake2s160: { bytes: 20, name: "BLAKE2s-160" },
  blake2s224: { bytes: 28, name: "BLAKE2s-224" },
  blake2s256: { bytes: 32, name: "BLAKE2s-256" },
  blake3: { bytes: 32, name: "BLAKE3" },
} as const;

export type HashMethod = keyof typeof known;

export const hashMethods = Object.keys(known) as HashMethod[];

export const isKnown = (method: string): method is HashMethod => Object.hasOwn(known, method);

/** Bytes of a digest of this method. */
export const bytesOf = (method: HashMethod): number => known[method].bytes;

/** Hex digits of a hash of this method. */
export const digitsOf = (method: HashMethod): number => 2 * bytesOf(method);

/** The name of a method as an asset should bear it. */
export const methodName = (method: HashMethod): string => known[method].name;

/**
 * Longest text of a method or a hash that is read at all, in UTF-16 units: 256 code points, which the service takes.
 * Nobody can search for a longer one.
 */
export const longestHashText = 512;

const squeeze = (name: string) => name.toLowerCase().replace(/[\s_/.-]/g, "");

/** Spellings that case and punctuation do not explain; "SHA2-256" names the family, "SHA-256" leaves it out. */
function otherSpellings(method: HashMethod): string[] {
  if (method === "blake3") return ["blake3256"];
  if (method === "ripemd160") return ["rmd160"];
  return /^sha(224|256|384|512)/.test(method) ? [squeeze(method.replace("sha", "sha2"))] : [];
}

const spellings = new Map<string, HashMethod>(
  hashMethods.flatMap((method) =>
    [squeeze(method), ...otherSpellings(method)].map((spelling) => [spelling, method] as const),
  ),
);

/** Identifiers of digest methods in signatures of XML, such as `http://www.w3.org/2001/04/xmlenc#sha256`. */
const ofXml = /^https?:\/\/www\.w3\.org\/[\d/]{8}(xmldsig|xmldsig-more|xmlenc)#/i;

/** Caches the last spelling, since most assets share one. */
let latest: { name: string; method: HashMethod | undefined } = { name: "", method: undefined };

/** @returns the method that a name means, or undefined where it is none that the product knows */
export function readMethod(name: string): HashMethod | undefined {
  if (name.length > longestHashText) return undefined;
  if (name !== latest.name) {
    const plain = withPlainDashes(name).trim().replace(ofXml, "");
    latest = { name, method: spellings.get(squeeze(plain)) };
  }
  return latest.method;
}

/** The name of a method without its case and punctuation, whether the product knows it or not. */
export function squeezeMethod(name: string): string {
  return name.length > longestHashText ? "" : (readMethod(name) ?? squeeze(withPlainDashes(name)));
}
