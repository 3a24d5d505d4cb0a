import { toBytes } from "../../../domain/bytes.ts";
import { limits } from "../../../domain/limits.ts";
import type { Transaction } from "../../core/pool.ts";
import { parseWebhook, type Webhook, type WebhookRow } from "./webhook.ts";

type NewWebhook = Pick<Webhook, "id" | "tenant" | "url" | "description" | "kinds" | "assetId" | "secret">;

/**
 * Stores a webhook, which is sent events from now on.
 * @returns undefined where the tenant has as many as are allowed
 */
export async function insertWebhook(
  tx: Transaction,
  webhook: NewWebhook,
  most: number = limits.webhooks,
): Promise<Webhook | undefined> {
  const { id, tenant, url, description, kinds, assetId, secret } = webhook;
  // Concurrent insertions of a tenant wait for each other, so that they are counted.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('service.webhooks ' || $1, 0))", [tenant]);
  const { rows } = await tx.query<WebhookRow>(
    `insert into service.webhooks (id, tenant, url, description, kinds, asset_id, secret, after_sequence)
     select $1, $2, $3, $4, $5, $6, $7, (select coalesce(max(sequence), 0) from service.events)
     where (select count(*) from service.webhooks where tenant = $2 and state <> 'removed') < $8
     returning *`,
    [id, tenant, url, description, kinds, assetId === undefined ? null : toBytes(assetId), secret, most],
  );
  return rows[0] && parseWebhook(rows[0]);
}
