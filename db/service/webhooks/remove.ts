import type { Database, Transaction } from "../../core/pool.ts";

/** Removes a webhook: from now on it exists for nobody, and nothing is sent. @returns whether the tenant had it */
export async function removeWebhook(tx: Transaction, tenant: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update service.webhooks set state = 'removed', reason = 'asked', updated_at = now()
     where id = $1 and tenant = $2 and state <> 'removed'`,
    [id, tenant],
  );
  return rowCount === 1;
}

/** In SQL: rows of removed webhooks, each webhook by itself, so that an index finds them. */
const ofRemoved = (columns: string, table: string) => `
  select rest.* from (select id from service.webhooks where state = 'removed') removed
  cross join lateral (
    select ${columns} from service.${table} where webhook_id = removed.id limit $1) rest
  limit $1`;

/** Rows of removed webhooks, in the order of deleting; rows that refer to one go with it. */
const remains = [
  `delete from service.deliveries where ordinal in (${ofRemoved("ordinal", "deliveries")})`,
  `delete from service.delivery_lanes
   where (webhook_id, subject) in (${ofRemoved("webhook_id, subject", "delivery_lanes")})`,
  `delete from service.webhooks where id in (
     select id from service.webhooks webhook where state = 'removed'
       and not exists (select from service.deliveries where webhook_id = webhook.id)
       and not exists (select from service.delivery_lanes where webhook_id = webhook.id)
     limit $1)`,
];

/** Deletes a batch of the rows of removed webhooks. @returns how many rows, `most` where there may be more */
export async function deleteRemovedWebhooks(db: Database, most: number): Promise<number> {
  for (const statement of remains) {
    const { rowCount } = await db.query(statement, [most]);
    if (rowCount === most) return most;
  }
  return 0;
}
