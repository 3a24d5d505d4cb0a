import type { Database, Transaction } from "../../core/pool.ts";
import { parseWebhook, type Webhook, type WebhookRow } from "./webhook.ts";

/** The webhooks of a tenant, oldest first. */
export async function listWebhooks(db: Database, tenant: string): Promise<Webhook[]> {
  const { rows } = await db.query<WebhookRow>(
    "select * from service.webhooks where tenant = $1 and state <> 'removed' order by created_at, id",
    [tenant],
  );
  return rows.map(parseWebhook);
}

/** A webhook of this tenant. */
export function findWebhook(db: Database, tenant: string, id: string): Promise<Webhook | undefined> {
  return readWebhook(db, tenant, id, "");
}

/** A webhook of this tenant, locked against changes until the transaction ends. */
export function lockWebhook(tx: Transaction, tenant: string, id: string): Promise<Webhook | undefined> {
  return readWebhook(tx, tenant, id, "for no key update");
}

async function readWebhook(
  db: Database,
  tenant: string,
  id: string,
  lock: "" | "for no key update",
): Promise<Webhook | undefined> {
  const { rows } = await db.query<WebhookRow>(
    `select * from service.webhooks where id = $1 and tenant = $2 and state <> 'removed' ${lock}`,
    [id, tenant],
  );
  return rows[0] && parseWebhook(rows[0]);
}
