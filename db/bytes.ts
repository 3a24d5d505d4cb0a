import { type Address, bytesToHex, getAddress, type Hex } from "viem";

/** A bytea column is a Buffer in node-postgres; the rest of the product speaks 0x hex. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

export function fromBytes(bytes: Uint8Array): Hex {
  return bytesToHex(bytes);
}

export function addressFromBytes(bytes: Uint8Array): Address {
  return getAddress(bytesToHex(bytes));
}
