import { claimDeliveries, nextDueTime } from "../../db/service/deliveries/claims.ts";
import { type Attempts, attempt } from "./attempt.ts";
import type { Places } from "./places.ts";
import type { JobQueue, WebhookJob } from "./queue.ts";

/** Attempts at one receiver at a time, over all processes. */
export const AT_ONCE = 8;

/** Milliseconds after which a job gives way to those of other webhooks. */
const TURN = 10_000;

/** Milliseconds until a webhook is looked at again whose lanes all are others'. */
const PAUSE = 1_000;

export type Work = Attempts & {
  queue: JobQueue;
  /** No delivery is begun any more. */
  stopping: AbortSignal;
};

/** Delivers what is due for the webhook of a job, several lanes at a time, and says when it is to be looked at again. */
export async function workOn(job: WebhookJob, places: Places, work: Work): Promise<void> {
  const { webhookId } = job;
  const begun = performance.now();
  const underWay = new Set<Promise<void>>();
  let isOthers = false;
  while (!work.stopping.aborted && performance.now() - begun < TURN) {
    const begunNow = underWay.size < AT_ONCE ? await begin(webhookId, AT_ONCE - underWay.size) : 0;
    isOthers = begunNow === 0;
    if (underWay.size === 0) break;
    await Promise.race(underWay);
  }
  await Promise.all(underWay);
  const due = await nextDueTime(work.pool, webhookId);
  if (due !== undefined) {
    const isLate = due.getTime() <= Date.now();
    if (isLate && !isOthers) await work.queue.add(work.pool, [webhookId]);
    else await work.queue.addAt(webhookId, isLate ? new Date(Date.now() + PAUSE) : due);
  }
  await work.queue.end(job);

  /** @returns how many attempts were begun */
  async function begin(id: string, most: number): Promise<number> {
    await places.take();
    const taken = 1 + places.takeMore(most - 1);
    let claims: Awaited<ReturnType<typeof claimDeliveries>> = [];
    try {
      claims = await claimDeliveries(work.pool, id, { most: taken, atOnce: AT_ONCE });
    } finally {
      places.giveBack(taken - claims.length);
    }
    for (const claim of claims) {
      const running = places
        .hold(() => attempt(claim, work))
        // The claim lapses, and the delivery is tried again.
        .catch((error: unknown) =>
          work.log.warn({ err: { message: String(error) } }, "delivery not recorded"),
        )
        .finally(() => underWay.delete(running));
      underWay.add(running);
    }
    return claims.length;
  }
}
