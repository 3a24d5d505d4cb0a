import type { InboxEntry } from "asset-registry-client";
import { texts } from "../../texts/texts.ts";

/** Why a request ended without its change, or what holds it up; undefined where there is nothing to say. */
export function noteOf({
  state,
  reason,
  hint,
}: Pick<InboxEntry, "state" | "reason" | "hint">): string | undefined {
  const { hints, reasons } = texts.sign.outlook;
  if (hint !== undefined) return `${hints[hint.code].title}. ${hints[hint.code].next}`;
  if (!state.startsWith("Revoked") || reason === undefined) return undefined;
  return Object.hasOwn(reasons, reason)
    ? reasons[reason as keyof typeof reasons]
    : texts.sign.outlook.otherReason(reason);
}
