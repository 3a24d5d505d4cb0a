import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { type Actor, insertAudit } from "../../db/service/audit.ts";
import type { KeptAnswer, KeyedRequest } from "../../db/service/idempotency-keys.ts";
import { answerOnce, storeAnswer } from "./idempotency.ts";
import { createKeyedQueue } from "./keyed-queue.ts";
import type { Answer, PreparedWrite } from "./route.ts";

const inTurn = createKeyedQueue();

/**
 * Commits a write: the change, its audit event and the answer under its Idempotency-Key are stored in one transaction. So
 * no change is unaudited, none happens twice under one key, and nothing is answered that is not stored. Anything that must
 * happen after the commit belongs after it here.
 * @param status HTTP status of success
 */
export async function carryOut(
  pool: Pool,
  { by, key, status }: { by: Actor; key: KeyedRequest | undefined; status: number },
  prepare: () => Promise<PreparedWrite>,
): Promise<Answer<unknown> | { replayed: KeptAnswer }> {
  async function store(): Promise<Answer<unknown>> {
    const { commit, turn } = await prepare();
    const transact = () =>
      inTransaction(pool, async (tx) => {
        const { answer, event } = await commit(tx);
        if (event !== undefined) await insertAudit(tx, by, event);
        if (key !== undefined) await storeAnswer(tx, key, status, answer);
        return answer;
      });
    return await (turn === undefined ? transact() : inTurn(turn, transact));
  }
  return key === undefined ? await store() : await answerOnce(pool, key, store);
}
