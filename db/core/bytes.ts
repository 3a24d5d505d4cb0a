import { type Address, getAddress, type Hex } from "viem";

/** Converts 0x hex, which the rest of the product uses, to a Buffer for a bytea column. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

export function fromBytes(bytes: Uint8Array): Hex {
  const { buffer, byteOffset, byteLength } = bytes;
  return `0x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
}

export function addressFromBytes(bytes: Uint8Array): Address {
  return getAddress(fromBytes(bytes));
}

/** Cache of checksummed addresses, each of which costs a hash; few authors own most assets. */
const checksummed = new Map<string, Address>();
const mostChecksummed = 10_000;

/** Checksummed address of 40 lower-case hex digits. */
export function addressFromDigits(digits: string): Address {
  const known = checksummed.get(digits);
  if (known !== undefined) return known;
  const address = getAddress(`0x${digits}`);
  if (checksummed.size >= mostChecksummed) checksummed.clear();
  checksummed.set(digits, address);
  return address;
}

/**
 * Joins many hashes into one bytea, which costs a fraction of an array of them. In SQL `hashesOf` splits it into rows.
 */
export function joinHashes(hashes: readonly Hex[]): Buffer {
  const joined = Buffer.allocUnsafe(32 * hashes.length);
  for (const [index, hash] of hashes.entries()) joined.write(hash.slice(2), 32 * index, "hex");
  return joined;
}

/** A query for the hashes of a parameter made by `joinHashes`, numbered from 1. */
export const hashesOf = (parameter: `$${number}`): string =>
  `(select substring(${parameter}::bytea from 32 * place - 31 for 32) as hash, place
    from generate_series(1, octet_length(${parameter}::bytea) / 32) place)`;
