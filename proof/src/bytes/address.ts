import { keccak256, utf8 } from "./bytes.ts";
import { fromHex, toHex } from "./hex.ts";

/** An address with its EIP-55 checksum. */
export function checksummed(address: Uint8Array): string {
  const lower = toHex(address).slice(2);
  const hash = toHex(keccak256(utf8(lower))).slice(2);
  const letters = [...lower].map((digit, at) => ((hash[at] ?? "0") >= "8" ? digit.toUpperCase() : digit));
  return `0x${letters.join("")}`;
}

/**
 * An address in any case with its EIP-55 checksum.
 * @returns undefined where the text is none; a checksum in it is not looked at
 */
export function checksumAddress(text: string): string | undefined {
  const bytes = /^0x[0-9a-f]{40}$/i.test(text) ? fromHex(text.toLowerCase()) : undefined;
  return bytes && checksummed(bytes);
}

/**
 * Bytes of an address in lower case or with its EIP-55 checksum.
 * @returns undefined where the text is none, or its checksum is wrong
 */
export function addressBytes(text: string): Uint8Array | undefined {
  if (text.length !== 42) return undefined;
  const bytes = fromHex(text.toLowerCase());
  if (bytes === undefined || !text.startsWith("0x")) return undefined;
  return text === text.toLowerCase() || text === checksummed(bytes) ? bytes : undefined;
}
