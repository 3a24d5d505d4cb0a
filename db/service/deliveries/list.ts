import type { Database } from "../../core/pool.ts";
import { type Delivery, type DeliveryRow, type DeliveryState, parseDelivery } from "./delivery.ts";

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
  const page = `
    select * from service.deliveries
    where webhook_id = $1 and ($2::bigint is null or ordinal < $2) and ($3::text is null or state = $3)
    order by ordinal desc limit $4`;
  const { rows } = await db.query<DeliveryRow>(`${shown(page)} order by ordinal desc`, [
    webhookId,
    before ?? null,
    state ?? null,
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
