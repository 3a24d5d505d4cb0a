import type { Pool } from "../db/core/pool.ts";
import { endWait, noteWait } from "../db/service/indexer-waits.ts";
import { ChainMovedError, FatalError, NodeError, reasonOf } from "../rpc/errors.ts";

/** A wait that goes on is noted so often. */
const notedEachMs = 1_000;

export type Waits = ReturnType<typeof createWaits>;

/**
 * Keeps in the database what each work of the indexer waits for, so that the API can say it. A database that is
 * away is told nothing; it is what the work waits for then, and the API says so by itself.
 */
export function createWaits(pool: Pool, now: () => number = Date.now) {
  /** When each was noted; nothing is known of those of an earlier process. */
  const notedAt = new Map<string, number | undefined>();

  return {
    async began(work: string, error: unknown): Promise<void> {
      if (now() - (notedAt.get(work) ?? Number.NEGATIVE_INFINITY) < notedEachMs) return;
      notedAt.set(work, now());
      const provider = error instanceof NodeError ? error.provider : undefined;
      await noteWait(pool, { work, reason: reasonOf(error), problem: problemOf(error), provider }).catch(
        ignore,
      );
    },
    async ended(work: string): Promise<void> {
      if (notedAt.has(work) && notedAt.get(work) === undefined) return;
      notedAt.set(work, undefined);
      await endWait(pool, work).catch(() => notedAt.delete(work));
    },
  };
}

const ignore = () => undefined;

/** What is no trouble of the node's or the chain's may hold more than everybody should see. */
function problemOf(error: unknown): string {
  const isShown =
    error instanceof NodeError || error instanceof ChainMovedError || error instanceof FatalError;
  return isShown
    ? error.message.slice(0, 1_000)
    : `It failed for a reason that is in the log: ${reasonOf(error)}`;
}
