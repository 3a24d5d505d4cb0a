import { toBytes } from "../../../domain/bytes.ts";
import type { Transaction } from "../../core/pool.ts";
import { parseWebhook, type Webhook, type WebhookRow } from "./webhook.ts";

type Settings = Pick<Webhook, "url" | "description" | "kinds" | "assetId">;

/** Changes what is sent to a webhook, and where. Deliveries that wait go to the new URL. */
export async function updateWebhook(tx: Transaction, id: string, to: Settings): Promise<Webhook> {
  const assetId = to.assetId === undefined ? null : toBytes(to.assetId);
  return await changed(tx, "url = $2, description = $3, kinds = $4, asset_id = $5", [
    id,
    to.url,
    to.description,
    to.kinds,
    assetId,
  ]);
}

/** Stops deliveries, which wait until it is active again. */
export async function pauseWebhook(tx: Transaction, id: string): Promise<Webhook> {
  return await changed(tx, "state = 'paused', reason = 'asked'", [id]);
}

/** Lets deliveries go out again. One that had ended begins anew: events until now are not sent to it. */
export async function activateWebhook(tx: Transaction, id: string): Promise<Webhook> {
  return await changed(
    tx,
    `state = 'active', reason = null, failing_since = null, after_sequence = case state
       when 'ended' then (select coalesce(max(sequence), 0) from service.events) else after_sequence end`,
    [id],
  );
}

/** Gives it another secret. The one before signs too for `hours`; an older one ends now. */
export async function rotateSecret(
  tx: Transaction,
  id: string,
  secret: string,
  hours: number,
): Promise<Webhook> {
  return await changed(
    tx,
    "previous_secret = secret, previous_until = now() + make_interval(hours => $3), secret = $2",
    [id, secret, hours],
  );
}

async function changed(tx: Transaction, change: string, values: unknown[]): Promise<Webhook> {
  const { rows } = await tx.query<WebhookRow>(
    `update service.webhooks set ${change}, updated_at = now() where id = $1 returning *`,
    values,
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`The webhook ${values[0]} is changed before it is locked.`);
  return parseWebhook(row);
}
