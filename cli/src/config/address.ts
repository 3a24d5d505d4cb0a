import { checksumAddress } from "asset-registry-proof";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/**
 * Reads an address as the service does: in one case, or with a right EIP-55 checksum, and not the zero address.
 * @returns the address with its checksum
 * @throws Problem
 */
export function addressOf(text: string): string {
  const address = checksumAddress(text);
  if (address === undefined) {
    throw misuse("address-invalid", `An address is 0x and 40 hex digits, not ${printable(text)}.`);
  }
  const digits = text.slice(2);
  if (/^0+$/.test(digits)) throw misuse("address-invalid", "The zero address is nobody's.");
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isOneCase || text === address) return address;
  throw misuse(
    "address-invalid",
    `The address ${text} has a wrong checksum: a letter may be mistyped (expected ${address}).`,
  );
}
