import { type Address, getAddress, type Hex } from "viem";

/** A bytea column is a Buffer in node-postgres; the rest of the product speaks 0x hex. */
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

/** Addresses with their checksums, a hash each; few authors are behind most of what is read. */
const checksummed = new Map<string, Address>();
const mostChecksummed = 10_000;

/** Of 40 lower-case hex digits. */
export function addressFromDigits(digits: string): Address {
  const known = checksummed.get(digits);
  if (known !== undefined) return known;
  const address = getAddress(`0x${digits}`);
  if (checksummed.size >= mostChecksummed) checksummed.clear();
  checksummed.set(digits, address);
  return address;
}

/**
 * Many hashes as one value, which costs a fraction of an array of them: nothing turns them into text and back.
 * In SQL `hashesOf` makes rows of it.
 */
export function joinHashes(hashes: readonly Hex[]): Buffer {
  const joined = Buffer.allocUnsafe(32 * hashes.length);
  for (const [index, hash] of hashes.entries()) joined.write(hash.slice(2), 32 * index, "hex");
  return joined;
}

/** A query for the hashes of a parameter that `joinHashes` made, with their place from 1 on. */
export const hashesOf = (parameter: `$${number}`): string =>
  `(select substring(${parameter}::bytea from 32 * place - 31 for 32) as hash, place
    from generate_series(1, octet_length(${parameter}::bytea) / 32) place)`;
