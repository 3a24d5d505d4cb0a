import type { Pool } from "../../db/core/pool.ts";
import { type Claim, releaseClaim } from "../../db/service/deliveries/claims.ts";
import {
  endGone,
  pauseFailing,
  recordDelivered,
  recordExpired,
  recordFailed,
} from "../../db/service/deliveries/results.ts";
import type { Log } from "../http/request-log.ts";
import { messageOf } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import { type PostOptions, post } from "./post.ts";
import { isOver, jitter, waitAfter } from "./schedule.ts";

export type Attempts = {
  pool: Pool;
  log: Log;
  options: PostOptions;
  /** Told of each attempt: `delivered`, or a code of its problem. */
  observe(outcome: string, seconds: number): void;
  /** Ends what is under way: it is tried again later. */
  signal: AbortSignal;
};

/**
 * Tries a claimed delivery once, and records how that ended.
 * @returns whether the receiver accepted it, or nothing was sent
 */
export async function attempt(
  claim: Claim,
  { pool, log, options, observe, signal }: Attempts,
): Promise<boolean> {
  const at = new Date();
  const message = messageOf(claim, at);
  if (message === undefined) {
    await recordExpired(pool, claim);
    return true;
  }
  const outcome = await post(message, options, signal);
  const result = { at, ...outcome };
  observe(outcome.problem ?? "delivered", outcome.duration / 1_000);
  if (outcome.problem === undefined) {
    await recordDelivered(pool, claim, result);
    return true;
  }
  if (signal.aborted && outcome.status === undefined) {
    await releaseClaim(pool, claim);
    return false;
  }
  await recordFailed(pool, claim, result, {
    wait: waitAfter(claim.failures + 1),
    jitter: jitter(),
    asked: outcome.retryAfter === undefined ? undefined : outcome.retryAfter / 1_000,
  });
  await giveUp(claim, outcome, { pool, log });
  return false;
}

async function giveUp(
  { webhookId, failingSince, claimedAt }: Claim,
  { status, problem }: Outcome,
  { pool, log }: Pick<Attempts, "pool" | "log">,
): Promise<void> {
  if (status === 410) {
    await endGone(pool, webhookId);
    log.info({ webhook: webhookId }, "webhook ended: its receiver answered 410");
  } else if (failingSince !== undefined && isOver(failingSince, claimedAt)) {
    await pauseFailing(pool, webhookId);
    log.warn({ webhook: webhookId, problem }, "webhook paused: a delivery has failed for three days");
  }
}
