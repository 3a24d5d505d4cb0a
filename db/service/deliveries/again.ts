import { limits } from "../../../domain/limits.ts";
import type { Transaction } from "../../core/pool.ts";
import { type Delivery, TEST_KIND } from "./delivery.ts";
import { queue } from "./lanes.ts";
import { findDelivery } from "./list.ts";

/** In SQL: queues one delivery, of which `source` says the event, and names it. */
const queueOne = (source: string) => `with ${queue(source)} select id from queued`;

const again = queueOne(`
  select delivery.webhook_id, event_id, delivery.sequence, delivery.kind, delivery.subject
  from service.deliveries delivery
  where webhook_id = $1 and id = $2
    and (sequence is null or exists (select from service.events event where event.sequence = delivery.sequence))`);

const test = queueOne(`
  select $1, id, null, '${TEST_KIND}', uuid_send(id) from gen_random_uuid() id`);

/**
 * Queues an event again for a webhook that it was queued for before.
 * @returns the new delivery; undefined where there is no such delivery, or its event has left the log
 */
export function redeliverOne(
  tx: Transaction,
  webhookId: string,
  deliveryId: string,
): Promise<Delivery | undefined> {
  return queued(tx, webhookId, again, [webhookId, deliveryId]);
}

/** Whether so many deliveries wait for a webhook that none is added on request. */
export async function isFull(
  tx: Transaction,
  webhookId: string,
  most: number = limits.waitingDeliveries,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from service.deliveries where webhook_id = $1 and state = 'waiting' offset $2 limit 1",
    [webhookId, most - 1],
  );
  return rowCount === 1;
}

/** Queues an event that only tries the webhook out. */
export async function queueTest(tx: Transaction, webhookId: string): Promise<Delivery> {
  const delivery = await queued(tx, webhookId, test, [webhookId]);
  if (delivery === undefined) throw new Error("The test was not queued");
  return delivery;
}

async function queued(
  tx: Transaction,
  webhookId: string,
  text: string,
  values: string[],
): Promise<Delivery | undefined> {
  const { rows } = await tx.query<{ id: string }>(text, values);
  const [row] = rows;
  if (row === undefined) return undefined;
  await wake(tx, webhookId);
  return await findDelivery(tx, webhookId, row.id);
}

/**
 * Queues all events after a sequence number again, in order and in the background. What waits is sent before, and with
 * all others once more: nothing that is sent again is the last word on its subject.
 */
export async function redeliverSince(tx: Transaction, webhookId: string, after: number): Promise<void> {
  await tx.query(
    `update service.webhook_progress set position = least($2,
       coalesce(position, (select sequence from service.delivery_cursor)))
     where webhook_id = $1`,
    [webhookId, after],
  );
  await wake(tx, webhookId);
}

/** Has a webhook looked at now, even if it waits after failures. */
async function wake(tx: Transaction, webhookId: string): Promise<void> {
  await tx.query(
    `update service.webhook_progress set wake = true, resume_at = case when resume_at > now() then now() else resume_at end
     where webhook_id = $1`,
    [webhookId],
  );
  await tx.query("select pg_notify('events', '')");
}
