import { claimDeliveries, nextDueTime } from "../../db/service/deliveries/claims.ts";
import { type Attempts, attempt } from "./attempt.ts";
import type { JobQueue, QueueName } from "./queue.ts";
import { AT_ONCE, type Room, type Standings } from "./standing.ts";

/** Milliseconds after which the work on a webhook gives way to that on others. */
const TURN = 10_000;

/** Milliseconds until a webhook is looked at again whose lanes all are other processes'. */
const PAUSE = 1_000;

export type Shared = Attempts & {
  queue: JobQueue;
  standings: Standings;
  /** No delivery is begun any more. */
  stopping: AbortSignal;
};

/** The work of this process on one webhook. */
export type Work = {
  /** Looks for more that is due. @returns false where the work has ended, so that it must begin anew */
  lookAgain(): boolean;
  /** Ends when nothing is due, and a job says when the webhook is to be looked at again. */
  ended: Promise<void>;
};

/** Delivers what is due for a webhook, several lanes at a time. */
export function workOn(webhookId: string, queue: QueueName, shared: Shared): Work {
  const { pool, log, standings, stopping } = shared;
  const begun = performance.now();
  const underWay = new Set<Promise<void>>();
  const hasTime = () => !stopping.aborted && performance.now() - begun < TURN;
  let isOpen = true;
  let isAsked = false;
  let wake = () => {};

  async function deliver(): Promise<void> {
    let due: Date | undefined;
    do {
      isAsked = false;
      await deliverDue();
      due = await nextDueTime(pool, webhookId);
    } while (isAsked);
    isOpen = false;
    if (due !== undefined) await lookLater(due);
  }

  async function deliverDue(): Promise<void> {
    while (hasTime()) {
      const room = standings.roomOf(webhookId, queue);
      if (underWay.size < room.atOnce) await begin(room);
      if (underWay.size === 0) return;
      const asked = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([...underWay, asked]);
    }
    await Promise.all(underWay);
  }

  async function begin({ places, atOnce }: Room): Promise<void> {
    await places.take();
    const taken = 1 + places.takeMore(atOnce - underWay.size - 1);
    let claims: Awaited<ReturnType<typeof claimDeliveries>> = [];
    try {
      if (hasTime()) claims = await claimDeliveries(pool, webhookId, { most: taken, atOnce: AT_ONCE });
    } finally {
      places.giveBack(taken - claims.length);
    }
    for (const claim of claims) {
      const running = standings
        .hold(webhookId, places, () => attempt(claim, shared))
        // The claim lapses, and the delivery is tried again.
        .catch((error: unknown) => log.warn({ err: { message: String(error) } }, "delivery not recorded"))
        .finally(() => underWay.delete(running));
      underWay.add(running);
    }
  }

  async function lookLater(due: Date): Promise<void> {
    const isDue = due.getTime() <= Date.now();
    // Time was up, or what is due is claimed by others.
    if (isDue && !hasTime()) await shared.queue.add(pool, [webhookId]);
    else await shared.queue.addAt(webhookId, isDue ? new Date(Date.now() + PAUSE) : due);
  }

  return {
    lookAgain() {
      isAsked = true;
      wake();
      return isOpen;
    },
    ended: deliver(),
  };
}
