import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** The id of an asset in lower case. @throws Problem */
export function assetIdOf(text: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw misuse("id-invalid", `An asset's id is 0x and 64 hex digits, not ${printable(text)}.`);
}

/** An address, whose checksum nobody needs where it is compared. @throws Problem */
export function addressOf(text: string): string {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text;
  throw misuse("address-invalid", `An address is 0x and 40 hex digits, not ${printable(text)}.`);
}

/** An option that may be given several times, each value of which is read in the same way. */
export const repeated =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: Value[] | undefined): Value[] => [...(before ?? []), read(text)];
