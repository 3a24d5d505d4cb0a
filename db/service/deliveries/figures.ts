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

/** In SQL: when the oldest waiting deliveries were queued, of active webhooks that are well and that fail. */
const oldest = `
  select min(first.at) filter (where not first.fails) as well, min(first.at) filter (where first.fails) as failing
  from service.webhooks webhook join service.webhook_progress progress on progress.webhook_id = webhook.id
  -- Each webhook by itself, so that what waits for those that are paused is not read.
  cross join lateral (
    (select at, true as fails from service.deliveries
     where webhook_id = webhook.id and state = 'waiting' and progress.resume_at is not null
     order by ordinal limit 1)
    union all
    (select at, false from service.deliveries delivery
     join service.delivery_lanes lane using (webhook_id, subject)
     where delivery.webhook_id = webhook.id and state = 'waiting' and progress.resume_at is null and lane.failures = 0
     order by ordinal limit 1)
    union all
    select head.at, true from service.delivery_lanes lane
    cross join lateral (
      select at from service.deliveries
      where webhook_id = lane.webhook_id and subject = lane.subject and ended_at is null
      order by ordinal limit 1) head
    where lane.webhook_id = webhook.id and waiting > 0 and lane.failures > 0 and progress.resume_at is null) first
  where webhook.state = 'active'`;

/** In SQL: seconds since then, 0 where there is none. */
const age = (since: string) => `coalesce(greatest(0, extract(epoch from now() - ${since})), 0)::float8`;

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
       ${age("oldest.well")} as well, ${age("oldest.failing")} as late,
       log.last, greatest(0, log.last - (select sequence from service.delivery_cursor)) as unqueued,
       states.active, states.paused, states.ended
     from (select coalesce(max(sequence), 0) as last from service.events where sequence is not null) log,
       (${oldest}) oldest,
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
