import { checksummed } from "../bytes/address.ts";
import { equal } from "../bytes/bytes.ts";
import type { ParsedProof } from "../document/parse.ts";
import { type Finding, invalid, unchecked, valid } from "../result/result.ts";
import type { Included } from "./inclusion.ts";

export const notIncluded = (): Finding =>
  unchecked("not-included", "The registry's record was not reached: see inclusion.");

/** Checks that the registry's record names the asset's author. */
export function checkAuthor({ asset }: ParsedProof, included: Included | undefined): Finding {
  if (included === undefined) return notIncluded();
  const recorded = checksummed(included.record.author);
  if (equal(asset.author, included.record.author)) {
    return valid("author-matches", `The registry's record names the author ${recorded}.`);
  }
  return invalid(
    "author-differs",
    `The registry's record names the author ${recorded}, and the proof says ${checksummed(asset.author)}.`,
  );
}
