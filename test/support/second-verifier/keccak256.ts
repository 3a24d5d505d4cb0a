import { createKeccak } from "hash-wasm";

const hasher = await createKeccak(256);

/** Keccak-256 of bytes in hex, by code in C: that of the package and that of ethers come from one hand. */
export const keccak256 = (hex: string): string =>
  `0x${hasher
    .init()
    .update(Buffer.from(hex.slice(2), "hex"))
    .digest("hex")}`;
