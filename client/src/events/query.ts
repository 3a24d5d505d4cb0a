import { ArgumentError } from "../errors.ts";
import type { ListQuery } from "../pages.ts";
import type { EventGroup, EventKind } from "../types/event.ts";

/** Which events are read; without `kinds`, those of requests and wallets. */
export type EventQuery = {
  /** Kinds, and groups of kinds such as `asset`; those of the chain are read only where they are named. */
  kinds?: readonly (EventKind | EventGroup)[] | undefined;
  /** Of this asset, and of links to it. */
  assetId?: string | undefined;
  /** Of this request; whoever knows its id needs no credential. */
  transactionId?: string | undefined;
};

export type EventListQuery = EventQuery & {
  /** Sequence of the last event that was read; left out: from the oldest that is kept. */
  after?: number | undefined;
  /** Most events of one page (50). */
  size?: number | undefined;
};

export function eventParameters({ kinds, assetId, transactionId }: EventQuery): ListQuery {
  if (kinds !== undefined && (!Array.isArray(kinds) || kinds.length === 0)) {
    throw new ArgumentError("kinds must be a list of one kind or more; leave it out for the usual ones.");
  }
  return { kinds: kinds?.join(","), assetId, transactionId };
}

/** @throws ArgumentError where it is no position in the log */
export function checkAfter(after: number | undefined): void {
  if (after === undefined || (Number.isSafeInteger(after) && after >= 0)) return;
  throw new ArgumentError("after must be the sequence of an event, or 0.");
}
