import { type Address, getAddress, type Hex } from "viem";

/** The bytes of 0x hex, as a Buffer, which takes half the time of viem's `hexToBytes`. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

/** The 0x hex of bytes, in lower case. */
export function fromBytes(bytes: Uint8Array): Hex {
  const { buffer, byteOffset, byteLength } = bytes;
  return `0x${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
}

/** The checksummed address of 20 bytes. */
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
