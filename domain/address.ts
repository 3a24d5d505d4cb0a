import { type Address, getAddress } from "viem";

/** Why a text is no address; `problem` completes the sentence "author …". */
export type AddressProblem = { problem: string };

/**
 * Parses an Ethereum address: `0x` and 40 hex digits, all lower case, all upper case, or mixed case with
 * a valid EIP-55 checksum. The zero address has no key and is refused.
 * @returns the address with its checksum, or what is wrong with it
 */
export function parseAddress(text: string): Address | AddressProblem {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return { problem: "must be an address: 0x and 40 hex digits" };
  const digits = text.slice(2);
  if (/^0+$/.test(digits)) return { problem: "must not be the zero address: nobody can sign for it" };
  const checksummed = getAddress(`0x${digits.toLowerCase()}`);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && text !== checksummed) {
    return { problem: `has a wrong checksum: a letter may be mistyped (expected ${checksummed})` };
  }
  return checksummed;
}
