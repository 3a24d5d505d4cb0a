import type { Database } from "../../core/pool.ts";

/** Webhooks of which failures are shown one by one. */
const MOST = 50;

/** How deliveries are doing, over all processes. */
export type DeliveryFigures = {
  /** Deliveries that wait for active webhooks. */
  waiting: number;
  /**
   * Seconds since the oldest waiting delivery was queued; 0 where there is none. Of receivers that are well, where the
   * service is late, and of those that fail.
   */
  oldest: { well: number; failing: number };
  /** Events that are not looked at yet. */
  unqueued: number;
  /** Last sequence number of the log. */
  lastSequence: number;
  /** Webhooks by state. */
  webhooks: Record<"active" | "paused" | "ended", number>;
  /** Times in a row that the receivers of active webhooks failed, the worst first. */
  failing: { id: string; failures: number }[];
};

/** In SQL: the age of the oldest waiting delivery whose lane and receiver fulfil a condition. */
const age = (condition: string) => `coalesce(greatest(0, extract(epoch from now() - (
  select delivery.at from service.deliveries delivery
  join service.webhooks webhook on webhook.id = delivery.webhook_id
  join service.webhook_progress progress on progress.webhook_id = delivery.webhook_id
  join service.delivery_lanes lane on lane.webhook_id = delivery.webhook_id and lane.subject = delivery.subject
  where delivery.ended_at is null and webhook.state = 'active' and (${condition})
  order by delivery.at limit 1))), 0)::float8`;

type Row = {
  waiting: number;
  well: number;
  late: number;
  unqueued: number;
  last: number;
  active: number;
  paused: number;
  ended: number;
};

export async function readDeliveryFigures(db: Database): Promise<DeliveryFigures> {
  const { rows } = await db.query<Row>(
    `select (
         select coalesce(sum(waiting), 0)::float8 from service.delivery_lanes lane
         join service.webhooks webhook on webhook.id = lane.webhook_id
         where waiting > 0 and webhook.state = 'active') as waiting,
       ${age("lane.failures = 0 and progress.resume_at is null")} as well,
       ${age("lane.failures > 0 or progress.resume_at is not null")} as late,
       log.last, greatest(0, log.last - (select sequence from service.delivery_cursor)) as unqueued,
       states.active, states.paused, states.ended
     from (select coalesce(max(sequence), 0) as last from service.events where sequence is not null) log,
       (select count(*) filter (where state = 'active') as active, count(*) filter (where state = 'paused') as paused,
         count(*) filter (where state = 'ended') as ended from service.webhooks) states`,
  );
  const { rows: failing } = await db.query<{ id: string; failures: number }>(
    `select webhook_id as id, failures from service.webhook_progress
     join service.webhooks on id = webhook_id
     where failures > 0 and state = 'active' order by failures desc, webhook_id limit ${MOST}`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The database does not count deliveries");
  const { waiting, well, late, unqueued, last, active, paused, ended } = row;
  return {
    waiting,
    oldest: { well, failing: late },
    unqueued,
    lastSequence: last,
    webhooks: { active, paused, ended },
    failing,
  };
}
