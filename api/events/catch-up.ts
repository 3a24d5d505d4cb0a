import type { Address } from "viem";
import type { Pool } from "../../db/core/pool.ts";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import type { EventFilter } from "../../db/service/events/read.ts";
import type { EventStream } from "../http/event-stream.ts";
import { createKeyedQueue } from "../operation/keyed-queue.ts";
import { eventBlock } from "./frames.ts";
import { readPageAndWallets } from "./page.ts";
import type { Tail } from "./tail.ts";
import { followWallet, isTold } from "./visibility.ts";

/** Most events that are sent before the reader has taken them. */
const PAGE = 100;

/** Pages that are read at once for all streams: after a restart all of them resume in the same moment. */
const inTurn = createKeyedQueue({ atOnce: 3, most: 100_000, patience: 60_000 });

/** Where a stream stands, and what its user's wallets are there. */
export type Standing = { position: number; wallets: Set<Address> };

/**
 * Sends a stream the events from a position on until it has caught up with the tail: from the database as far as they are
 * not in memory. Calls `join` in the moment in which the stream stands where the tail does.
 * @throws where the database does not answer, or the log no longer holds what comes next
 */
export type CatchUp = (
  filter: EventFilter,
  from: number,
  stream: EventStream,
  join: (standing: Standing) => void,
) => Promise<void>;

export function createCatchUp(pool: Pool, tail: Pick<Tail, "since" | "position">): CatchUp {
  return async (filter, from, stream, join) => {
    let standing: Standing = { position: from, wallets: new Set() };
    let knowsWallets = filter.requestId !== undefined || filter.audience.user === undefined;
    while (!stream.over.aborted) {
      const events = knowsWallets ? tail.since(standing.position, PAGE) : undefined;
      if (events === undefined) {
        const { position } = standing;
        const page = await inTurn("pages", () => readPageAndWallets(pool, filter, position, PAGE));
        send(stream, page.events);
        standing = { position: page.next, wallets: new Set(page.wallets) };
        // The wallets are those of the end of the log, which a full page may not reach.
        knowsWallets = page.events.length < PAGE;
      } else {
        send(stream, told(events, { filter, wallets: standing.wallets }));
        standing.position = events.at(-1)?.sequence ?? standing.position;
        if (standing.position >= tail.position() && !stream.lags()) return join(standing);
      }
      if (!(await stream.taken())) return;
    }
  };
}

function send(stream: EventStream, events: readonly LoggedEvent[]): void {
  if (events.length > 0) stream.send(Buffer.concat(events.map(eventBlock)));
}

/** Those of the events that a stream is told of, by the wallets that its user has at each. */
function told(
  events: readonly LoggedEvent[],
  interest: { filter: EventFilter; wallets: Set<Address> },
): LoggedEvent[] {
  return events.filter((event) => {
    followWallet(interest, event);
    return isTold(interest, event);
  });
}
