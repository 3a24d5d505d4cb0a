import { InvalidArgumentError } from "commander";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** The id of an asset in lower case. @throws Problem */
export function assetIdOf(text: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw misuse("id-invalid", `An asset's id is 0x and 64 hex digits, not ${printable(text)}.`);
}

/** An option that may be given several times, each value of which is read in the same way. */
export const repeated =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: Value[] | undefined): Value[] => [...(before ?? []), read(text)];

/** A time in seconds. @throws InvalidArgumentError */
export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && seconds >= 0.1) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds, from 0.1 on.");
}
