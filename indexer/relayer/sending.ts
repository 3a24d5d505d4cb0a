import type { Logger } from "pino";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import {
  type Attempt,
  type PlannedNonce,
  recordAttemptSent,
} from "../../db/service/relays/relayer-nonces.ts";
import { recordStates } from "../../db/service/requests/history.ts";
import { recordAccepted } from "../../db/service/transactions/seen.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import { type Rejection, readSendError } from "../../rpc/errors/send-outcome.ts";
import type { Node } from "../../rpc/node.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };

/** Sends stored transactions of a relayer. */
export function createSending({ pool, node, log }: Dependencies) {
  /**
   * Sends one; a failure does not affect the others.
   * @returns why the node rejected it
   */
  return async function send(
    { nonce, requestId, assetId }: Pick<PlannedNonce, "nonce" | "requestId" | "assetId">,
    attempt: Omit<Attempt, "sentBlock">,
    head: Header,
  ): Promise<Rejection | undefined> {
    const { hash, raw, filler } = attempt;
    try {
      await node.send(raw);
    } catch (error) {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      const outcome = readSendError(error);
      if (outcome.kind !== "known" && (await node.transaction(hash)) === undefined) {
        const problem = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
        log.warn({ hash, asset: assetId, err: { message: problem } }, "relayer transaction rejected by node");
        return outcome;
      }
    }
    log.info({ hash, nonce, asset: assetId }, "relayer transaction sent");
    await inTransaction(pool, async (tx) => {
      if (requestId !== undefined && !filler) {
        await recordAccepted(tx, { hash, requestId, nonce: undefined, nextAttemptSeconds: 5 });
      }
      await recordAttemptSent(tx, hash, head.number);
      if (requestId !== undefined) await recordStates(tx, [requestId]);
    });
    return undefined;
  };
}
