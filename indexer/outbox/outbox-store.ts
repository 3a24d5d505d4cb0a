import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { findRequestOutlines } from "../../db/service/requests/find.ts";
import { recordStatesOf } from "../../db/service/requests/history.ts";
import {
  type Accepted,
  recordAccepted,
  recordForeign,
  recordProblem,
  recordSeen,
  type Seen,
} from "../../db/service/transactions/seen.ts";
import { serialBatches } from "./serial-batches.ts";

type Checked = Pick<Accepted, "hash" | "requestId">;

export type OutboxStore = ReturnType<typeof createOutboxStore>;

/**
 * Stores what checks of transactions at the node found, those of the same moment in one transaction of the database.
 * @param nextAttemptSeconds until a transaction that the node has is checked again
 */
export function createOutboxStore(pool: Pool, nextAttemptSeconds: number) {
  const storeSeen = serialBatches((all: readonly Seen[]) =>
    inTransaction(pool, async (tx) => {
      await recordSeen(tx, ...all);
      return all;
    }),
  );
  const storeAccepted = serialBatches((all: readonly Accepted[]) =>
    inTransaction(pool, async (tx) => {
      await recordAccepted(tx, ...all);
      const ids = all.map(({ requestId }) => requestId);
      await recordStatesOf(tx, await findRequestOutlines(tx, ids));
      return all;
    }),
  );

  return {
    /** The node has accepted it for the first time, or again. */
    accepted: async ({ hash, requestId }: Checked, nonce: number | undefined): Promise<void> => {
      await storeAccepted({ hash, requestId, nonce, nextAttemptSeconds });
    },
    /** The node still has it. */
    seen: async ({ hash, requestId }: Checked, lowFee: boolean): Promise<void> => {
      await storeSeen({ hash, requestId, lowFee, nextAttemptSeconds });
    },
    /** Another account than the author sent it. */
    foreign: ({ hash, requestId }: Checked): Promise<void> =>
      inTransaction(pool, (tx) => recordForeign(tx, { hash, requestId, nextAttemptSeconds })),
    /** It could not be sent or checked. */
    postponed: ({ hash, requestId }: Checked, problem: string, seconds = nextAttemptSeconds): Promise<void> =>
      inTransaction(pool, (tx) =>
        recordProblem(tx, { hash, requestId, problem, nextAttemptSeconds: seconds }),
      ),
  };
}
