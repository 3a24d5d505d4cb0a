import type { AssetId } from "../../../domain/asset/asset.ts";
import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";

/**
 * Keeps this tenant's other requests for links of this parent waiting until the transaction ends, so that of two for
 * the same change one is made. Other tenants do not wait.
 */
export async function lockParent(tx: Transaction, tenant: string, parent: AssetId): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${parent} ${tenant}`]);
}

/** Keeps other changes of this request waiting until the transaction ends. */
export async function lockRequest(tx: Transaction, id: string): Promise<void> {
  await lockRequests(tx, [id]);
}

/**
 * Keeps other changes of these requests waiting until the transaction ends, in one order for all who lock several.
 * Whoever writes rows of a request locks it first: otherwise one waits for the other's row and the other for the
 * request.
 */
export async function lockRequests(tx: Transaction, ids: readonly string[]): Promise<void> {
  await ask(tx, lock, [JSON.stringify(ids)]);
}

// One by one in that order, because each is locked inside of the loop over them; JSON as in find.ts.
const lock = statement(`
  select from (select id::uuid from json_array_elements_text($1::json) asked (id) order by 1) asked
  cross join lateral (select from service.requests where id = asked.id for update) locked`);
