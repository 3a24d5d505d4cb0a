import type { Database } from "../../core/pool.ts";
import {
  type Delivery,
  type DeliveryRow,
  type DeliveryState,
  deliveryStates,
  parseDelivery,
} from "./delivery.ts";

/** Attempts that are shown of a delivery. */
const SHOWN = 50;

/** In SQL: deliveries with their attempts, and when those that failed and are next in their lane are tried again. */
const shown = (deliveries: string) => `
  select delivery.*, lane.due_at, (
    select json_agg(attempt order by at) from (
      select at, duration, status, problem, message, answer from service.delivery_attempts
      where delivery = ordinal order by at desc limit ${SHOWN}) attempt) as attempts
  from (${deliveries}) delivery
  left join service.delivery_lanes lane on lane.webhook_id = delivery.webhook_id and lane.subject = delivery.subject
    and lane.failures > 0 and delivery.ended_at is null and delivery.ordinal = (
      select min(ordinal) from service.deliveries first
      where first.webhook_id = lane.webhook_id and first.subject = lane.subject and first.ended_at is null)`;

/** The deliveries of a webhook, newest first. */
export async function listDeliveries(
  db: Database,
  webhookId: string,
  { state, before, size }: { state?: DeliveryState | undefined; before?: number | undefined; size: number },
): Promise<Delivery[]> {
  // Each state by itself, so that a rare one is found without reading the others. By comparisons of rows and an order of
  // all columns, so that only the index of this order can serve it.
  const page = `
    select found.* from unnest($3::text[]) wanted (one)
    cross join lateral (
      select * from service.deliveries
      where (webhook_id, state, ordinal) < ($1::uuid, one, $2::bigint) and (webhook_id, state) >= ($1::uuid, one)
      order by webhook_id desc, state desc, ordinal desc limit $4) found
    order by ordinal desc limit $4`;
  const { rows } = await db.query<DeliveryRow>(`${shown(page)} order by ordinal desc`, [
    webhookId,
    before ?? Number.MAX_SAFE_INTEGER,
    state === undefined ? [...deliveryStates] : [state],
    size,
  ]);
  return rows.map(parseDelivery);
}

/** A delivery of a webhook. */
export async function findDelivery(
  db: Database,
  webhookId: string,
  id: string,
): Promise<Delivery | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    shown("select * from service.deliveries where webhook_id = $1 and id = $2"),
    [webhookId, id],
  );
  return rows[0] && parseDelivery(rows[0]);
}
