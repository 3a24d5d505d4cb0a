import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { hasEventsToQueue, queueEvents, tidyUp } from "../../db/service/deliveries/queueing.ts";
import { numberEvents } from "../../db/service/events/read.ts";
import type { JobQueue } from "./queue.ts";

/** Milliseconds between two looks for what single turns do not see. */
const TIDY_UP = 10_000;

/**
 * A look at webhooks that are behind which finds none that can go on is followed by a rest of so many times as long, up
 * to a second: slow receivers for which much waits do not keep the database busy.
 */
const REST = 10;
const LONGEST_REST = 1_000;

/** Queues new events for webhooks, in one process at a time. */
export function createDispatcher(pool: Pool, queue: JobQueue) {
  let tidiedUp = performance.now();
  let restsUntil = 0;

  /** @returns whether there is more to queue at once */
  async function turn(): Promise<boolean> {
    const catchesUp = performance.now() >= restsUntil;
    const tidiesUp = performance.now() - tidiedUp > TIDY_UP;
    await numberEvents(pool);
    if (tidiesUp) tidiedUp = performance.now();
    else if (!(await hasEventsToQueue(pool, catchesUp))) return false;
    return await inTransaction(pool, async (tx) => {
      const turn = await queueEvents(tx, catchesUp);
      if (turn === undefined) return false;
      if (turn.wasted > 0) restsUntil = performance.now() + Math.min(LONGEST_REST, REST * turn.wasted);
      const lost = tidiesUp ? await tidyUp(tx) : [];
      const webhooks = [...new Set([...turn.webhooks, ...lost])];
      if (webhooks.length > 0) {
        await queue.add(tx, webhooks);
        await tx.query("select pg_notify('deliveries', '')");
      }
      return turn.hasMore;
    });
  }

  return { turn };
}
