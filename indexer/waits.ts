import type { Pool } from "../db/core/pool.ts";
import { endWait, recordWait } from "../db/service/indexer-waits.ts";
import { ChainMovedError } from "../rpc/errors/chain-errors.ts";
import { NodeError } from "../rpc/errors/node-error.ts";
import { failureReason } from "./failure-reason.ts";
import { isFatal } from "./fatal-error.ts";

/** Milliseconds between two updates of a wait that goes on. */
const updateEveryMs = 1_000;

/**
 * Stores in the database why each failing task of the indexer waits, for the API to show. While the database itself
 * is unreachable nothing is stored, and the API reports that by itself.
 */
export function createWaits(pool: Pool, now: () => number = Date.now) {
  /** When each was stored last; those of an earlier process are unknown. */
  const storedAt = new Map<string, number | undefined>();

  return {
    async began(work: string, error: unknown): Promise<void> {
      if (now() - (storedAt.get(work) ?? Number.NEGATIVE_INFINITY) < updateEveryMs) return;
      storedAt.set(work, now());
      const provider = error instanceof NodeError ? error.provider : undefined;
      await recordWait(pool, {
        work,
        reason: failureReason(error),
        problem: problemOf(error),
        provider,
      }).catch(ignore);
    },
    async ended(work: string): Promise<void> {
      if (storedAt.has(work) && storedAt.get(work) === undefined) return;
      storedAt.set(work, undefined);
      await endWait(pool, work).catch(() => storedAt.delete(work));
    },
  };
}

const ignore = () => undefined;

/** Only errors of node and chain are shown to everybody; others may hold private details. */
function problemOf(error: unknown): string {
  const isShown = error instanceof NodeError || error instanceof ChainMovedError || isFatal(error);
  return isShown
    ? error.message.slice(0, 1_000)
    : `It failed; the log has the error: ${failureReason(error)}`;
}
