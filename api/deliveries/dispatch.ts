import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { hasEventsToQueue, queueEvents, tidyUp } from "../../db/service/deliveries/queueing.ts";
import { numberEvents } from "../../db/service/events/read.ts";
import type { JobQueue } from "./queue.ts";

/** Milliseconds between two looks for what single turns do not see. */
const TIDY_UP = 10_000;

/** Queues new events for webhooks, in one process at a time. */
export function createDispatcher(pool: Pool, queue: JobQueue) {
  let tidiedUp = performance.now();

  /** @returns whether there is more to queue at once */
  async function turn(): Promise<boolean> {
    const tidiesUp = performance.now() - tidiedUp > TIDY_UP;
    await numberEvents(pool);
    if (tidiesUp) tidiedUp = performance.now();
    else if (!(await hasEventsToQueue(pool))) return false;
    return await inTransaction(pool, async (tx) => {
      const turn = await queueEvents(tx);
      if (turn === undefined) return false;
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
