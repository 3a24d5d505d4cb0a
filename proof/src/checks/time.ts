import type { Header } from "../header.ts";
import { type Finding, invalid, valid } from "../result/result.ts";
import { inUtc } from "../result/time.ts";
import { notIncluded } from "./author.ts";
import type { Included } from "./inclusion.ts";

/** Checks that the asset was registered before the block, and tells when. */
export function checkTime(included: Included | undefined, header: Header | undefined): Finding {
  if (included === undefined || header === undefined) return notIncluded();
  const { createdOn } = included.record;
  if (createdOn <= header.timestamp)
    return valid("registered", `The asset was registered on ${inUtc(createdOn)}.`);
  return invalid(
    "registered-after-block",
    `The record says ${inUtc(createdOn)}, and the block is of ${inUtc(header.timestamp)}.`,
  );
}
