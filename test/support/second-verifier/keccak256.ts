import { getBytes } from "ethers";
import { createKeccak } from "hash-wasm";

const hasher = await createKeccak(256);

/** Keccak-256 of bytes in hex, by code in C: that of the package and that of ethers are of one family. */
export const keccak256 = (hex: string): string => `0x${hasher.init().update(getBytes(hex)).digest("hex")}`;
