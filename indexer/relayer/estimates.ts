import { setTimeout as sleep } from "node:timers/promises";
import type { WaitingRelay } from "../../db/service/relays/waiting-relays.ts";

/** Most concurrent estimates, in all and of one tenant: a node may take seconds for one. */
const mostAtOnce = 16;
const mostOfTenant = 4;
/** Milliseconds that a pass waits for running estimates; the rest are collected by a later pass. */
const waitMs = 300;

type Outcome<Estimate> = { estimate: Estimate } | { error: unknown };
/** A running estimate; `work` never rejects, since it may end while nobody waits. */
type UnderWay<Estimate> = { tenant: string; work: Promise<void>; done?: Outcome<Estimate> };

/**
 * Estimates concurrently and across passes, so that a slow estimate delays no other.
 * @param estimate a rejection fails one pass; a later pass estimates anew
 */
export function createEstimates<Estimate>(estimate: (waiting: WaitingRelay) => Promise<Estimate>) {
  const underWay = new Map<string, UnderWay<Estimate>>();

  const isRoomFor = (tenant: string): boolean => {
    const running = [...underWay.values()].filter(({ done }) => done === undefined);
    return (
      running.length < mostAtOnce && running.filter((one) => one.tenant === tenant).length < mostOfTenant
    );
  };

  function begin(waiting: WaitingRelay): Promise<void> {
    const one: UnderWay<Estimate> = {
      tenant: waiting.tenant,
      work: estimate(waiting).then(
        (result) => {
          one.done = { estimate: result };
        },
        (error: unknown) => {
          one.done = { error };
        },
      ),
    };
    underWay.set(waiting.requestId, one);
    return one.work;
  }

  return {
    /**
     * Starts as many of these as there is room for, in order.
     * @returns the finished ones
     * @throws the first rejection
     */
    async of(due: readonly WaitingRelay[]): Promise<{ waiting: WaitingRelay; estimate: Estimate }[]> {
      const isDue = new Set(due.map(({ requestId }) => requestId));
      for (const [id, { done }] of underWay) if (done !== undefined && !isDue.has(id)) underWay.delete(id);
      let left = [...due];
      const until = performance.now() + waitMs;
      for (;;) {
        for (const waiting of left) {
          if (!underWay.has(waiting.requestId) && isRoomFor(waiting.tenant)) void begin(waiting);
        }
        const running = due.flatMap(({ requestId }) => {
          const one = underWay.get(requestId);
          return one === undefined || one.done !== undefined ? [] : [one.work];
        });
        left = left.filter(({ requestId }) => !underWay.has(requestId));
        const remaining = until - performance.now();
        if (running.length === 0 || remaining <= 0) break;
        const timer = new AbortController();
        await Promise.race([
          left.length > 0 ? Promise.race(running) : Promise.all(running),
          sleep(remaining, undefined, { signal: timer.signal }).catch(() => undefined),
        ]);
        timer.abort();
      }
      const finished = due.flatMap((waiting) => {
        const done = underWay.get(waiting.requestId)?.done;
        return done === undefined ? [] : [{ waiting, done }];
      });
      // Removed before throwing, or each later pass would throw it again.
      for (const { waiting } of finished) underWay.delete(waiting.requestId);
      return finished.map(({ waiting, done }) => {
        if ("error" in done) throw done.error;
        return { waiting, estimate: done.estimate };
      });
    },
  };
}
