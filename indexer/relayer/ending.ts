import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { authorSends } from "../../db/service/relays/relays.ts";
import { recordRelayFailure, relaysOverdue } from "../../db/service/relays/waiting-relays.ts";
import { giveUp } from "../../db/service/requests/endings.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { recordStates } from "../../db/service/requests/history.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { deadlineOf } from "../../domain/asset/gasless.ts";
import { isClosed, type KnownReason } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { RequiredRepeats } from "../outbox/repeated-answer.ts";

/** Whether the registry can still take its signature, by the chain's clock. */
export const inTime = (request: Request, head: Header) => deadlineOf(request) >= BigInt(head.timestamp);

/**
 * Ends a request whose signature can no longer take effect, unless a transaction of the author's own still can.
 * @returns whether nothing needs to be sent for it any more
 */
async function end(pool: Pool, id: string, reason: string): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockRequest(tx, id);
    const request = await findRequest(tx, id);
    if (request === undefined || isClosed(request.facts)) return true;
    if (await authorSends(tx, id)) return false;
    await giveUp(tx, id, reason);
    await recordStates(tx, [id]);
    return true;
  });
}

/**
 * Records another failed attempt of a request, and ends the request by its reason after enough of them.
 * @param failure with the seconds until the next attempt, and the block that node and index share
 */
export async function recordFailedAttempt(
  pool: Pool,
  id: string,
  failure: { reason: string; seconds: number; at: number },
  repeats: RequiredRepeats,
): Promise<void> {
  const isOver = await inTransaction(pool, (tx) => recordRelayFailure(tx, id, failure, repeats));
  if (isOver) await end(pool, id, failure.reason);
}

/** A signature past its deadline can never take effect. */
export async function endOverdue(pool: Pool, head: Header): Promise<void> {
  const reason: KnownReason = "EXPIRED";
  for (const id of await relaysOverdue(pool, head.timestamp)) await end(pool, id, reason);
}
