import { hexOfBase32, hexOfBase58, hexOfBase64, isHex } from "./encodings.ts";
import type { HashMethod } from "./method-names.ts";

/** Codes of the multicodec table as they begin a multihash: code and length, each as a varint in hex. */
const beginnings: readonly [code: string, method: HashMethod, bytes: number][] = [
  ["d501", "md5", 16],
  ["11", "sha1", 20],
  ["d320", "ripemd160", 20],
  ["9320", "sha224", 28],
  ["12", "sha256", 32],
  ["20", "sha384", 48],
  ["13", "sha512", 64],
  ["9420", "sha512-224", 28],
  ["9520", "sha512-256", 32],
  ["17", "sha3-224", 28],
  ["16", "sha3-256", 32],
  ["15", "sha3-384", 48],
  ["14", "sha3-512", 64],
  ["1a", "keccak224", 28],
  ["1b", "keccak256", 32],
  ["1c", "keccak384", 48],
  ["1d", "keccak512", 64],
  ["1e", "blake3", 32],
  ["94e402", "blake2b160", 20],
  ["a0e402", "blake2b256", 32],
  ["b0e402", "blake2b384", 48],
  ["c0e402", "blake2b512", 64],
  ["d0e402", "blake2s128", 16],
  ["d4e402", "blake2s160", 20],
  ["dce402", "blake2s224", 28],
  ["e0e402", "blake2s256", 32],
];

/** A CID of version 1 whose content is the file itself (codec raw) begins so; of others the hash is of something else. */
const rawCid = "0155";

/**
 * A CID of version 0. It looks as a SHA2-256 multihash in base58btc does, but its digest is that of a node of a tree, so
 * that no file would match it. Behind the `z` of multibase there is no doubt.
 */
const treeCid = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/;

/**
 * Reads a multihash, or a CID of raw content: in hex, in base58btc, or in an alphabet of multibase that its first
 * letter names.
 * @returns the name of its method and the digest in hex
 */
export function readMultihash(text: string): { method: HashMethod; digits: string } | undefined {
  for (const hex of decodings(text)) {
    const bare = hex.startsWith(rawCid) ? hex.slice(rawCid.length) : hex;
    for (const [code, method, bytes] of beginnings) {
      const start = code + bytes.toString(16).padStart(2, "0");
      if (bare.length === start.length + 2 * bytes && bare.startsWith(start)) {
        return { method, digits: bare.slice(start.length) };
      }
    }
  }
  return undefined;
}

function decodings(text: string): string[] {
  const rest = text.slice(1);
  const found = [
    isHex(text) ? text.toLowerCase() : undefined,
    treeCid.test(text) ? undefined : hexOfBase58(text),
  ];
  const [base] = text;
  if (base === "f" || base === "F") found.push(isHex(rest) ? rest.toLowerCase() : undefined);
  if (base === "b" || base === "B" || base === "c" || base === "C") found.push(hexOfBase32(rest));
  if (base === "z") found.push(hexOfBase58(rest));
  if (base === "m" || base === "M" || base === "u" || base === "U") found.push(hexOfBase64(rest)?.hex);
  return found.filter((hex) => hex !== undefined);
}
