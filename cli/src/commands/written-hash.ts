import { type HashMethod, readStoredHash } from "asset-registry-proof";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** Reads a hash on the command line, which names its method or has it beside it. @throws Problem */
export function writtenHash(
  method: HashMethod | undefined,
  text: string,
): { method: HashMethod; digits: string } {
  const read = readStoredHash({ method: method ?? "", hash: text });
  if (typeof read !== "string") return read;
  throw misuse("hash-not-readable", `${printable(text)} cannot be compared: ${whyNot[read]}.`);
}

const whyNot = {
  "no-hash": "it is empty",
  "no-method": "it does not say its method, so name it by --method",
  "unknown-method": "its method is not known here",
  "unreadable-hash": "it is no hash of this method",
} as const;
