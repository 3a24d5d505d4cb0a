import type { Address } from "viem";
import { type Database, inSnapshot, type Pool, type Transaction } from "../../db/core/pool.ts";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import { type EventFilter, eventBounds, numberEvents, readEvents } from "../../db/service/events/read.ts";
import { isRequest } from "../../db/service/requests/find.ts";
import { walletsOf } from "../../db/service/wallets.ts";
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
  await numberEvents(pool);
  return await inSnapshot(pool, (snapshot) => pageOf(snapshot, filter, after, most));
}

/**
 * Reads a page as `readEventPage` does, and the addresses that the user of the filter has connected at its moment.
 * @throws ApiError EVENTS_GONE, EVENT_AHEAD, TRANSACTION_NOT_FOUND
 */
export async function readPageAndWallets(
  pool: Pool,
  filter: EventFilter,
  after: number,
  most: number,
): Promise<EventPage & { wallets: Address[] }> {
  await numberEvents(pool);
  return await inSnapshot(pool, async (snapshot) => {
    const page = await pageOf(snapshot, filter, after, most);
    const user = filter.requestId === undefined ? filter.audience.user : undefined;
    const wallets = user === undefined ? [] : await walletsOf(snapshot, user);
    return { ...page, wallets: wallets.map(({ address }) => address) };
  });
}

/**
 * No events, and the end of the log.
 * @throws ApiError TRANSACTION_NOT_FOUND
 */
export async function emptyPageAtEnd(db: Database, filter: EventFilter): Promise<EventPage> {
  const { last } = await checkPosition(db, filter, undefined);
  return { events: [], next: last };
}

async function pageOf(
  snapshot: Transaction,
  filter: EventFilter,
  after: number | undefined,
  most: number,
): Promise<EventPage> {
  const { last } = await checkPosition(snapshot, filter, after);
  const events = await readEvents(snapshot, filter, after ?? 0, most);
  const lastRead = events.length < most ? undefined : events.at(-1);
  return { events, next: lastRead?.sequence ?? last };
}

/**
 * Checks that the log holds all that came after a position, and that there is the request of the filter.
 * @returns the position of the newest event
 * @throws ApiError EVENTS_GONE, EVENT_AHEAD, TRANSACTION_NOT_FOUND
 */
export async function checkPosition(
  db: Database,
  { requestId }: EventFilter,
  after: number | undefined,
): Promise<{ last: number }> {
  const bounds = await eventBounds(db);
  if (after !== undefined) refuseOutside(after, bounds);
  if (requestId !== undefined && !(await isRequest(db, requestId))) throw unknownTransaction(requestId);
  return bounds;
}

export function refuseOutside(after: number, { first, last }: { first: number; last: number }): void {
  if (after > last) {
    throw new ApiError(
      "EVENT_AHEAD",
      `There is no event ${after} yet: the newest is ${last}. Continue from a position that this service gave, or start over from the present: GET /events/?after=latest.`,
    );
  }
  if (after < first - 1) {
    throw new ApiError(
      "EVENTS_GONE",
      `Events up to ${first - 1} have been removed. Start over with after=${first - 1}, and read the present state of what matters to you.`,
    );
  }
}
