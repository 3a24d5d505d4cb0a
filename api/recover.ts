import { recover } from "tiny-secp256k1";
import { type Address, getAddress, type Hex, hexToBytes, type Signature } from "viem";
import { keccakOf } from "../db/digest.ts";

/**
 * The account whose key signed this digest, by libsecp256k1 in WebAssembly: an eighth of the time that it takes
 * in JavaScript.
 * @returns undefined where no key can have made the signature
 */
export function recoverSigner(digest: Hex, { r, s, yParity }: Signature): Address | undefined {
  if (yParity !== 0 && yParity !== 1) return undefined;
  try {
    const signature = hexToBytes(`0x${word(r)}${word(s)}`);
    const key = recover(hexToBytes(digest), signature, yParity, false);
    // A key begins with a byte that says how it is written.
    return key === null ? undefined : getAddress(`0x${keccakOf(key.subarray(1)).slice(-40)}`);
  } catch {
    return undefined; // numbers that no signature has
  }
}

/** 32 bytes without 0x; a transaction leaves out the zeros before a number. */
const word = (number: Hex): string => number.slice(2).padStart(64, "0");
