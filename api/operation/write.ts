import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { type Actor, insertAudit } from "../../db/service/audit.ts";
import type { KeptAnswer, KeyedRequest } from "../../db/service/idempotency-keys.ts";
import { answerOnce, storeAnswer } from "./idempotency.ts";
import { createTurns } from "./in-turn.ts";
import type { Answer, PreparedWrite } from "./route.ts";

const inTurn = createTurns();

/**
 * Carries out a write. What it stores, who did it, and the answer under its Idempotency-Key go into one transaction:
 * all is stored or nothing, so no change goes unseen, none happens twice under one key, and nothing is answered that
 * is not stored. Whatever is to happen after the commit belongs behind it here.
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
