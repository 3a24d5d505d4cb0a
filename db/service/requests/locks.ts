import type { AssetId } from "../../../domain/asset/asset.ts";
import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";

/**
 * Locks a tenant's link changes of this parent until the transaction ends, so that of two for the same change only one is
 * stored. Other tenants do not wait.
 */
export async function lockParent(tx: Transaction, tenant: string, parent: AssetId): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${parent} ${tenant}`]);
}

/** Locks a request until the transaction ends. */
export async function lockRequest(tx: Transaction, id: string): Promise<void> {
  await lockRequests(tx, [id]);
}

/**
 * Locks requests until the transaction ends, in one order for all transactions. A request must be locked before its rows
 * are written, against deadlocks.
 */
export async function lockRequests(tx: Transaction, ids: readonly string[]): Promise<void> {
  await ask(tx, lock, [JSON.stringify(ids)]);
}

// Locked one by one in that order by the lateral join; JSON as in find.ts.
const lock = statement(`
  select from (select id::uuid from json_array_elements_text($1::json) asked (id) order by 1) asked
  cross join lateral (select from service.requests where id = asked.id for update) locked`);
