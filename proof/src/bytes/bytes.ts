import { keccak_256 } from "@noble/hashes/sha3.js";

/** Keccak-256 with Ethereum's padding, 32 bytes. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => keccak_256(bytes);

const encoder = new TextEncoder();

/** A text in UTF-8; half of a surrogate pair, which has no UTF-8, must be refused before. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Bytes in a word of the EVM, with zeros in front; at most 32 of them. */
export function word(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(32);
  whole.set(bytes, 32 - bytes.length);
  return whole;
}

/** A non-negative safe integer in a word. */
export function numberWord(value: number): Uint8Array {
  const whole = new Uint8Array(32);
  // Bit operations of JavaScript end at 32 bits.
  for (let at = 31, rest = value; rest > 0; at -= 1, rest = Math.floor(rest / 256)) whole[at] = rest % 256;
  return whole;
}

/** A big-endian number; exact up to 2^53 - 1, and no safe integer above. */
export function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
