import type { Address } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

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
