import { inSnapshot, type Pool } from "../../db/core/pool.ts";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import { type EventFilter, eventBounds, readEvents } from "../../db/service/events/read.ts";
import { isRequest } from "../../db/service/requests/find.ts";
import { ApiError } from "../../domain/errors.ts";
import { unknownTransaction } from "../transactions/known-request.ts";

/** Events in order, and the position up to which the log holds no others for this filter. */
export type EventPage = { events: LoggedEvent[]; next: number };

/**
 * Reads the events after a position, or from the oldest on, on one snapshot of the log.
 * @throws ApiError EVENTS_GONE, EVENT_AHEAD, TRANSACTION_NOT_FOUND
 */
export async function readEventPage(
  pool: Pool,
  filter: EventFilter,
  after: number | undefined,
  most: number,
): Promise<EventPage> {
  return await inSnapshot(pool, async (snapshot) => {
    const bounds = await eventBounds(snapshot);
    if (after !== undefined) refuseOutside(after, bounds);
    const { requestId } = filter;
    if (requestId !== undefined && !(await isRequest(snapshot, requestId)))
      throw unknownTransaction(requestId);
    const events = await readEvents(snapshot, filter, after ?? 0, most);
    const last = events.length < most ? undefined : events.at(-1);
    return { events, next: last?.sequence ?? bounds.last };
  });
}

/** @throws ApiError EVENTS_GONE or EVENT_AHEAD where the log does not hold all that came after a position */
export function refuseOutside(after: number, { first, last }: { first: number; last: number }): void {
  if (after > last) {
    throw new ApiError(
      "EVENT_AHEAD",
      `There is no event ${after} yet: the newest is ${last}. Read on from a position that this service gave.`,
    );
  }
  if (after < first - 1) {
    throw new ApiError(
      "EVENTS_GONE",
      `Events up to ${first - 1} have been removed. Begin anew with after=${first - 1}, and read the present state of what matters to you.`,
    );
  }
}
