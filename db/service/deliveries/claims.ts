import type { Database } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import type { LoggedEvent } from "../events/event.ts";
import { readEventsAt } from "../events/read.ts";

/** Seconds after which another process takes over what this one claimed: longer than an attempt takes. */
const LEASE = 20;

/** The first delivery of a lane, which the process that holds the claim may try. */
export type Claim = {
  webhookId: string;
  subject: Buffer;
  claim: string;
  /** Failed attempts of the delivery, and since when. */
  failures: number;
  failingSince: Date | undefined;
  /** When it was claimed, by the clock of the database. */
  claimedAt: Date;
  ordinal: number;
  sequence: number | undefined;
  eventId: string;
  kind: string;
  queuedAt: Date;
  /** Undefined for a test, and where the event has left the log. */
  event: LoggedEvent | undefined;
  receiver: {
    url: string;
    /** The secrets that sign. */
    secrets: string[];
    /** Whether an attempt failed and none has succeeded since. */
    isFailing: boolean;
  };
};

type LaneRow = { subject: Buffer; claim: string; failures: number; failing_since: Date | null; now: Date };

/**
 * Claims due lanes of a webhook that is active: as many as its receiver is sent at once, over all processes. While it
 * fails it is sent one.
 */
const claimLanes = statement(`
  with room as (
    select case when webhook.state <> 'active' or progress.resume_at > clock_timestamp() then 0
      else least($2, case when progress.resume_at is null then $3 else 1 end - (
        select count(*) from service.delivery_lanes
        where webhook_id = $1 and claim is not null and due_at > clock_timestamp())) end as lanes
    from service.webhooks webhook join service.webhook_progress progress on progress.webhook_id = webhook.id
    where webhook.id = $1)
  update service.delivery_lanes lane
  set claim = gen_random_uuid(), due_at = clock_timestamp() + interval '${LEASE} seconds'
  from (
    select subject from service.delivery_lanes
    where webhook_id = $1 and waiting > 0 and due_at <= clock_timestamp()
    order by due_at limit (select greatest(0, lanes) from room) for update skip locked) due
  where lane.webhook_id = $1 and lane.subject = due.subject
  returning lane.subject, lane.claim, lane.failures, lane.failing_since, clock_timestamp() as now`);

type HeadRow = {
  subject: Buffer;
  ordinal: number;
  sequence: number | null;
  event_id: string;
  kind: string;
  at: Date;
  url: string;
  secret: string;
  previous_secret: string | null;
  is_failing: boolean;
};

const readHeads = statement(`
  select head.*, webhook.url, webhook.secret, progress.failures > 0 or failing_since is not null as is_failing,
    case when previous_until > now() then previous_secret end as previous_secret
  from unnest($2::bytea[]) lane (subject)
  cross join lateral (
    select subject, ordinal, sequence, event_id, kind, at from service.deliveries
    where webhook_id = $1 and subject = lane.subject and ended_at is null order by ordinal limit 1) head
  join service.webhooks webhook on webhook.id = $1
  join service.webhook_progress progress on progress.webhook_id = $1`);

/**
 * Claims the first deliveries of due lanes.
 * @param most lanes that this process may claim now
 * @param atOnce lanes of the webhook that may be claimed at a time, over all processes
 */
export async function claimDeliveries(
  db: Database,
  webhookId: string,
  { most, atOnce }: { most: number; atOnce: number },
): Promise<Claim[]> {
  const lanes = await ask<LaneRow>(db, claimLanes, [webhookId, most, atOnce]);
  if (lanes.length === 0) return [];
  // In a statement of its own, which sees what was committed before the lanes were free.
  const heads = await ask<HeadRow>(db, readHeads, [webhookId, lanes.map(({ subject }) => subject)]);
  const sequences = heads.flatMap(({ sequence }) => sequence ?? []);
  const events = sequences.length === 0 ? [] : await readEventsAt(db, sequences);
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  const byName = new Map(heads.map((head) => [head.subject.toString("hex"), head]));
  return lanes.flatMap((lane) => {
    const head = byName.get(lane.subject.toString("hex"));
    if (head === undefined) return [];
    const { secret, previous_secret } = head;
    return {
      webhookId,
      subject: lane.subject,
      claim: lane.claim,
      failures: lane.failures,
      failingSince: lane.failing_since ?? undefined,
      claimedAt: lane.now,
      ordinal: head.ordinal,
      sequence: head.sequence ?? undefined,
      eventId: head.event_id,
      kind: head.kind,
      queuedAt: head.at,
      event: head.sequence === null ? undefined : bySequence.get(head.sequence),
      receiver: {
        url: head.url,
        secrets: previous_secret === null ? [secret] : [secret, previous_secret],
        isFailing: head.is_failing,
      },
    };
  });
}

const nextDue = statement(`
  select greatest(progress.resume_at, (
    select min(due_at) from service.delivery_lanes where webhook_id = $1 and waiting > 0)) as at
  from service.webhook_progress progress join service.webhooks webhook on webhook.id = progress.webhook_id
  where progress.webhook_id = $1 and webhook.state = 'active'
    and exists (select from service.delivery_lanes where webhook_id = $1 and waiting > 0)`);

/** When a webhook is to be looked at again; undefined where nothing waits, or nothing goes out. */
export async function nextDueTime(db: Database, webhookId: string): Promise<Date | undefined> {
  const [row] = await ask<{ at: Date }>(db, nextDue, [webhookId]);
  return row?.at;
}

const release = statement(`
  update service.delivery_lanes set claim = null, due_at = now() where webhook_id = $1 and subject = $2 and claim = $3`);

/** Gives a claim back, of which no attempt was made or finished. */
export async function releaseClaim(db: Database, { webhookId, subject, claim }: Claim): Promise<void> {
  await ask(db, release, [webhookId, subject, claim]);
}
