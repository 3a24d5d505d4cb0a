import type { Address, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "../../core/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/** The current relayer; amounts in wei. `problem` is why all signatures wait. */
export type Relayer = {
  address: Address;
  balance: bigint;
  dailyBudget: bigint;
  problem: string | undefined;
  /** The nonce that is not mined and blocks all later ones. */
  stuck?: { nonce: number; since: Date } | undefined;
};

export async function noteRelayer(tx: Transaction, relayer: Relayer): Promise<void> {
  await tx.query(
    `insert into service.relayer (address, balance, daily_budget, problem, stuck_nonce, stuck_since)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (only_row) do update set address = excluded.address, balance = excluded.balance,
       daily_budget = excluded.daily_budget, problem = excluded.problem, stuck_nonce = excluded.stuck_nonce,
       stuck_since = excluded.stuck_since, seen_at = now()`,
    [
      toBytes(relayer.address),
      String(relayer.balance),
      String(relayer.dailyBudget),
      relayer.problem ?? null,
      relayer.stuck?.nonce ?? null,
      relayer.stuck?.since ?? null,
    ],
  );
}

/** Removes the relayer. */
export async function forgetRelayer(tx: Transaction): Promise<void> {
  await tx.query("delete from service.relayer");
}

/** @returns undefined without a relayer */
export async function readRelayer(db: Database): Promise<Relayer | undefined> {
  const { rows } = await db.query<{
    address: Buffer;
    balance: string;
    daily_budget: string;
    problem: string | null;
    stuck_nonce: number | null;
    stuck_since: Date | null;
  }>("select address, balance, daily_budget, problem, stuck_nonce, stuck_since from service.relayer");
  const [row] = rows;
  return (
    row && {
      address: addressFromBytes(row.address),
      balance: BigInt(row.balance),
      dailyBudget: BigInt(row.daily_budget),
      problem: row.problem ?? undefined,
      stuck:
        row.stuck_nonce === null || row.stuck_since === null
          ? undefined
          : { nonce: row.stuck_nonce, since: row.stuck_since },
    }
  );
}

/** Stores an author's signature for the relayer; an earlier one is kept. */
export async function storeRelay(
  tx: Transaction,
  relay: { requestId: string; signature: Hex; estimatedCost: bigint; deadline?: number | undefined },
): Promise<void> {
  await tx.query(
    `insert into service.relays (request_id, signature, estimated_cost, deadline) values ($1, $2, $3, $4)
     on conflict (request_id) do nothing`,
    [relay.requestId, toBytes(relay.signature), String(relay.estimatedCost), relay.deadline ?? null],
  );
}

/** A waiting signature, and the reason. */
export type Relay = { signature: Hex; problem: string | undefined };

export async function findRelay(db: Database, requestId: string): Promise<Relay | undefined> {
  const { rows } = await db.query<{ signature: Buffer; problem: string | null }>(
    "select signature, problem from service.relays where request_id = $1",
    [requestId],
  );
  return rows[0] && { signature: fromBytes(rows[0].signature), problem: rows[0].problem ?? undefined };
}

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
       where not request.settled and relay.next_look_at <= now()
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

/** Whether a transaction of the author's own may still make the change. */
export async function authorSends(db: Database, requestId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from service.transactions sent join service.requests request on request.id = sent.request_id
     where sent.request_id = $1 and sent.by_author and sent.hopeless is null
       and not exists (select from chain.nonces where address = request.author and nonce > sent.nonce)
     limit 1`,
    [requestId],
  );
  return rowCount === 1;
}

/** Stores why a signature waits and until when, without counting a failure. */
export async function postponeRelay(
  tx: Transaction,
  requestId: string,
  look: { problem: string | undefined; seconds: number },
): Promise<void> {
  await tx.query(
    `update service.relays set problem = $2, next_look_at = now() + make_interval(secs => $3), failures = 0,
       failing_at = null, failing_since = null
     where request_id = $1`,
    [requestId, look.problem ?? null, look.seconds],
  );
}

/**
 * Stores a failed attempt of a signature.
 * @param look `at` is the block that node and index share
 * @returns whether there were enough failures, over enough time, and since a block that is final
 */
export async function noteRelayFailure(
  tx: Transaction,
  requestId: string,
  look: { problem: string; seconds: number; at: number },
  enough: { looks: number; seconds: number },
): Promise<boolean> {
  const { rows } = await tx.query<{ over: boolean | null }>(
    `update service.relays set problem = $2, next_look_at = now() + make_interval(secs => $3), failures = failures + 1,
       failing_at = coalesce(failing_at, now()), failing_since = least(failing_since, $4)
     where request_id = $1
     returning failures >= $5 and failing_at <= now() - make_interval(secs => $6)
       and failing_since <= (select final_number from chain.cursor limit 1) as over`,
    [requestId, look.problem, look.seconds, look.at, enough.looks, enough.seconds],
  );
  return rows[0]?.over === true;
}

/** Whether signatures wait for this reason. */
export async function someWaitFor(db: Database, problem: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from service.relays relay join service.requests request on request.id = relay.request_id
     where relay.problem = $1 and not request.settled
       and not exists (select from service.relayer_nonces where request_id = request.id)
     limit 1`,
    [problem],
  );
  return rowCount === 1;
}

/** Locks the tenant's budget until the transaction ends. */
export async function lockBudget(tx: Transaction, tenant: string | undefined): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('relayer budget ' || $1, 0))", [
    tenant ?? "",
  ]);
}

/**
 * Cost of a tenant's requests to the relayer today (UTC), including the highest cost of pending transactions and the
 * estimates of waiting signatures. One request or one nonce can be left out.
 * @param tenant undefined: of nobody, as what only fills a gap is
 */
export async function budgetUsed(
  db: Database,
  tenant: string | undefined,
  except?: string | { relayer: Address; nonce: number },
): Promise<bigint> {
  const { rows } = await db.query<{ used: string }>(
    `select coalesce(sum(amount), 0) as used from (
       select spent as amount from service.relayer_nonces
       where tenant is not distinct from $1 and spent_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
       union all
       select max(attempt.gas * attempt.max_fee + attempt.data_fee) from service.relayer_nonces planned
       join service.relayer_attempts attempt using (relayer, nonce)
       where planned.tenant is not distinct from $1 and planned.spent is null and not planned.final
         and ($2::uuid is null or planned.request_id is distinct from $2)
         and (planned.relayer, planned.nonce) is distinct from ($3::bytea, $4::bigint)
       group by relayer, nonce
       union all
       select relay.estimated_cost from service.relays relay
       join service.requests request on request.id = relay.request_id
       where request.tenant = $1 and not request.settled and request.id is distinct from $2
         and not exists (select from service.relayer_nonces where request_id = request.id)
     ) amounts`,
    typeof except === "object"
      ? [tenant ?? null, null, toBytes(except.relayer), except.nonce]
      : [tenant ?? null, except ?? null, null, null],
  );
  return BigInt(rows[0]?.used ?? 0);
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
