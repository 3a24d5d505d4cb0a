import type { Database } from "../../core/pool.ts";

/** Webhooks of which failures are shown one by one. */
const MOST = 50;

/** How deliveries are doing, over all processes. */
export type DeliveryFigures = {
  /** Deliveries that wait for active webhooks. */
  waiting: number;
  /** Seconds since the oldest of them was queued; else 0. */
  oldest: number;
  /** Sequence numbers that are not looked at yet. */
  unqueued: number;
  /** Last sequence number of the log. */
  lastSequence: number;
  /** Webhooks by state. */
  webhooks: Map<string, number>;
  /** Times in a row that the receivers of active webhooks failed, the worst first. */
  failing: { id: string; failures: number }[];
};

export async function readDeliveryFigures(db: Database): Promise<DeliveryFigures> {
  const { rows } = await db.query<Omit<DeliveryFigures, "webhooks" | "failing">>(
    `select coalesce(sum(waiting), 0)::float8 as waiting,
       coalesce(greatest(0, extract(epoch from now() - (
         select min(at) from service.webhooks webhook cross join lateral (
           select at from service.deliveries where webhook_id = webhook.id and ended_at is null
           order by at limit 1) first
         where webhook.state = 'active'))), 0)::float8 as oldest,
       (select coalesce(max(sequence), 0) from service.events) - (select sequence from service.delivery_cursor) as unqueued,
       (select coalesce(max(sequence), 0) from service.events) as "lastSequence"
     from service.delivery_lanes lane join service.webhooks webhook on webhook.id = lane.webhook_id
     where waiting > 0 and webhook.state = 'active'`,
  );
  const { rows: states } = await db.query<{ state: string; count: number }>(
    "select state, count(*) as count from service.webhooks where state <> 'removed' group by state",
  );
  const { rows: failing } = await db.query<{ id: string; failures: number }>(
    `select webhook_id as id, failures from service.webhook_progress
     join service.webhooks on id = webhook_id
     where failures > 0 and state = 'active' order by failures desc, webhook_id limit ${MOST}`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The database does not count deliveries");
  return { ...row, webhooks: new Map(states.map(({ state, count }) => [state, count])), failing };
}
