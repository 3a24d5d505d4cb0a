import type { Hex } from "viem";
import { fromBytes } from "../../../domain/bytes.ts";
import type { SignatureObstacle } from "../../../domain/relayer/problem.ts";
import type { Database, Transaction } from "../../core/pool.ts";

export type WaitingRelay = {
  requestId: string;
  tenant: string;
  signature: Hex;
  /** Consecutive failed attempts. */
  failures: number;
};

/**
 * Due signatures without a planned transaction, round-robin over tenants; within one, those without a failure first, then
 * the oldest.
 */
export async function relaysDue(db: Database, limit: number): Promise<WaitingRelay[]> {
  const { rows } = await db.query<{
    request_id: string;
    tenant: string;
    signature: Buffer;
    failures: number;
  }>(
    `select request_id, tenant, signature, failures from (
       select relay.*, request.tenant,
         row_number() over (partition by request.tenant order by relay.failures, relay.stored_at) as turn
       from service.relays relay join service.requests request on request.id = relay.request_id
       where not request.settled and relay.next_attempt_at <= now()
         and not exists (select from service.relayer_nonces where request_id = relay.request_id)) due
     order by turn, failures, stored_at limit $1`,
    [limit],
  );
  return rows.map(({ request_id: requestId, signature, ...row }) => ({
    ...row,
    requestId,
    signature: fromBytes(signature),
  }));
}

/** How many signatures of a tenant wait for the relayer. */
export async function countWaiting(db: Database, tenant: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from service.relays relay join service.requests request on request.id = relay.request_id
     where request.tenant = $1 and not request.settled
       and not exists (select from service.relayer_nonces where request_id = relay.request_id)`,
    [tenant],
  );
  return rows[0]?.count ?? 0;
}

/** Unsettled requests whose signature has expired at `time`, the chain's in seconds since 1970. */
export async function relaysOverdue(db: Database, time: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select request.id from service.relays relay join service.requests request on request.id = relay.request_id
     where not request.settled and least(relay.deadline, floor(extract(epoch from request.expires_at))) < $1`,
    [time],
  );
  return rows.map(({ id }) => id);
}

/** Stores why a signature waits and until when, without counting a failure. */
export async function postponeRelay(
  tx: Transaction,
  requestId: string,
  wait: { obstacle: SignatureObstacle | undefined; seconds: number },
): Promise<void> {
  await tx.query(
    `update service.relays set obstacle = $2, next_attempt_at = now() + make_interval(secs => $3), failures = 0,
       failing_at = null, failing_since = null
     where request_id = $1`,
    [requestId, wait.obstacle ?? null, wait.seconds],
  );
}

/**
 * Stores a failed attempt of a signature.
 * @param failure the reason by which the request would end, and the seconds until the next attempt; `at` is the block that node and index share
 * @returns whether there were enough failures, over enough time, and since a block that is final
 */
export async function recordRelayFailure(
  tx: Transaction,
  requestId: string,
  failure: { reason: string; seconds: number; at: number },
  enough: { attempts: number; seconds: number },
): Promise<boolean> {
  const { rows } = await tx.query<{ over: boolean | null }>(
    `update service.relays set obstacle = $2, next_attempt_at = now() + make_interval(secs => $3), failures = failures + 1,
       failing_at = coalesce(failing_at, now()), failing_since = least(failing_since, $4)
     where request_id = $1
     returning failures >= $5 and failing_at <= now() - make_interval(secs => $6)
       and failing_since <= (select final_number from chain.cursor limit 1) as over`,
    [requestId, failure.reason, failure.seconds, failure.at, enough.attempts, enough.seconds],
  );
  return rows[0]?.over === true;
}

/** Whether signatures wait because of this obstacle. */
export async function someWaitFor(db: Database, obstacle: SignatureObstacle): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from service.relays relay join service.requests request on request.id = relay.request_id
     where relay.obstacle = $1 and not request.settled
       and not exists (select from service.relayer_nonces where request_id = request.id)
     limit 1`,
    [obstacle],
  );
  return rowCount === 1;
}

/** Signatures that wait, and nonces under way. */
export async function countRelays(db: Database): Promise<{ waiting: number; underWay: number }> {
  const { rows } = await db.query<{ waiting: number; under_way: number }>(
    `select (select count(*) from service.relays relay join service.requests request on request.id = relay.request_id
         where not request.settled
           and not exists (select from service.relayer_nonces where request_id = request.id)) as waiting,
       (select count(*) from service.relayer_nonces where mined_block is null and not final) as under_way`,
  );
  return { waiting: rows[0]?.waiting ?? 0, underWay: rows[0]?.under_way ?? 0 };
}
