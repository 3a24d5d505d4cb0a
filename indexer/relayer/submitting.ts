import type { Logger } from "pino";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { insertAttempt, type PlannedNonce } from "../../db/service/relays/relayer-nonces.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { RelayerObstacle } from "../../domain/relayer/problem.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";
import type { RequiredRepeats } from "../outbox/repeated-answer.ts";
import { recordFailedAttempt } from "./ending.ts";
import { createSending } from "./sending.ts";
import type { Signing, Unsent } from "./signing.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger; repeats: RequiredRepeats };

/** What the node objects to in a transaction, where another time, fee or gas limit may change that. */
export type Objection = "balance" | "fee" | "gas";

/** What keeps a pending nonce from being mined. */
export type Obstacle = RelayerObstacle | "OVER_BUDGET";

export function obstacleOf(objection: Objection | undefined): Obstacle | undefined {
  if (objection === "balance") return "LOW_BALANCE";
  return objection === "fee" ? "OVER_MAX_FEE" : undefined;
}

export type Submitting = ReturnType<typeof createSubmitting>;

/** Submits transactions of the current relayer. */
export function createSubmitting(dependencies: Dependencies, { address }: Pick<Signing, "address">) {
  const { pool, log, repeats } = dependencies;
  const send = createSending(dependencies);

  /** Sends a stored transaction, and ends its request after enough rejections for good. */
  async function submit(
    one: Pick<PlannedNonce, "nonce" | "requestId" | "assetId" | "attempts">,
    attempt: Unsent,
    head: Header,
  ): Promise<Objection | undefined> {
    const rejection = await send(one, attempt, head);
    if (rejection?.kind === "later") return rejection.lowFee ? "fee" : undefined;
    if (rejection === undefined) return undefined;
    const { reason } = rejection;
    if (reason === "INSUFFICIENT_FUNDS") return "balance";
    if (attempt.filler) return reason === "GAS_TOO_LOW" ? "gas" : undefined;
    // No node accepts it, and none has it.
    const neverSent = one.attempts.every(({ sentBlock }) => sentBlock === undefined);
    if (one.requestId !== undefined && neverSent) {
      await recordFailedAttempt(pool, one.requestId, { reason, seconds: 0, at: head.number }, repeats);
    }
    return undefined;
  }

  return {
    submit,
    /** Stores a transaction in place of the newest one of its nonce, and sends it. */
    async replace(one: PlannedNonce, by: Unsent, head: Header): Promise<Obstacle | undefined> {
      log.warn(
        { hash: by.hash, nonce: one.nonce, asset: one.assetId, filler: by.filler },
        "relayer transaction replaced",
      );
      await inTransaction(pool, async (tx) => {
        if (one.requestId !== undefined) await lockRequest(tx, one.requestId);
        await insertAttempt(tx, address, one, by);
      });
      return obstacleOf(await submit(one, by, head));
    },
  };
}
