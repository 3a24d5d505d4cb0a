import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { queue } from "./lanes.ts";

/**
 * Queues events for webhooks: once for each webhook and event, in the order of the log, in the transaction that moves
 * the cursor.
 */

/** Events of one turn of a webhook that is behind. */
const BATCH = 500;
/** Events of one turn, times webhooks. */
const BATCH_OF_ALL = 10_000;
/** Webhooks that are behind, in one turn. */
const CATCH_UP = 100;
/** Deliveries that wait for a webhook, from which on it stays behind: the log keeps the others. */
const ENOUGH = 2_000;

/** In SQL: which of the events of `range` are for its webhook, each with its subject. */
const matching = `
  select range.webhook_id, event.id as event_id, event.sequence, event.kind,
    coalesce(event.asset_id, uuid_send(event.id)) as subject
  from range join service.webhooks webhook on webhook.id = range.webhook_id
  join event on event.sequence > range.first and event.sequence <= range.last
    and (event.tenant = webhook.tenant or (event.tenant is null and event.issuer is null))
  where event.kind = any(webhook.kinds)
    and (webhook.asset_id is null or webhook.asset_id in (event.asset_id, event.target_id))`;

/** In SQL: queues what `matched` holds, and names the webhooks. */
const store = queue(
  "select webhook_id, event_id, sequence, kind, subject from matched order by sequence, webhook_id",
);

const lockCursor = statement("select sequence from service.delivery_cursor for update skip locked");
const lastOfBatch = statement(`
  select max(sequence) as last from (
    select sequence from service.events where sequence > $1 order by sequence limit (
      select greatest(1, least(${BATCH}, ${BATCH_OF_ALL} / (1 + count(*)))) from service.webhook_progress
      where position is null)) batch`);

/** Leaves webhooks behind to which nothing is sent now. */
const leaveBehind = statement(`
  update service.webhook_progress progress set position = $1
  from service.webhooks webhook
  where webhook.id = progress.webhook_id and position is null and (webhook.state <> 'active' or resume_at is not null)`);

const queueForAll = statement(`
  with event as materialized (select * from service.events where sequence > $1 and sequence <= $2),
  range as (select webhook_id, $1::bigint as first, $2::bigint as last
    from service.webhook_progress where position is null),
  matched as (${matching}), ${store},
  moved as (update service.delivery_cursor set sequence = $2)
  select distinct webhook_id as id from filled`);

/** In SQL: whether enough waits for the webhook of `progress`. Reads no more lanes than it takes to know. */
const isCrowded = `(
  select coalesce(sum(waiting), 0) >= ${ENOUGH} from (
    select waiting from service.delivery_lanes lane
    where lane.webhook_id = progress.webhook_id and waiting > 0 limit ${ENOUGH}) counted)`;

/** Leaves webhooks behind whose receivers take less than there is. */
const leaveCrowded = statement(`
  update service.webhook_progress progress set position = (select sequence from service.delivery_cursor)
  where position is null and ${isCrowded}`);

/** The next batch of some webhooks that are behind; those that have reached the cursor go on with all others. */
const catchUp = statement(`
  with behind as (
    select progress.webhook_id, progress.position from service.webhook_progress progress
    join service.webhooks webhook on webhook.id = progress.webhook_id
    where position <= $1 and webhook.state = 'active' and resume_at is null
      and not ${isCrowded}
    order by position limit ${CATCH_UP} for no key update of progress skip locked),
  range as materialized (
    select webhook_id, behind.position as first, coalesce((
      select max(sequence) from (select sequence from service.events
        where sequence > behind.position and sequence <= $1 order by sequence limit ${BATCH}) batch), $1) as last
    from behind),
  moved as (
    update service.webhook_progress progress set position = nullif(range.last, $1)
    from range where range.webhook_id = progress.webhook_id
    returning progress.webhook_id, progress.position),
  matched as (
    select found.* from range one cross join lateral (
      with range as (select one.*),
      event as (select * from service.events where sequence > one.first and sequence <= one.last)
      ${matching}) found),
  ${store}
  select moved.webhook_id as id, moved.position is not null as "isBehind",
    exists (select from filled where filled.webhook_id = moved.webhook_id) as "isFilled" from moved`);

const takeWakes = statement(`
  update service.webhook_progress set wake = false
  where webhook_id in (select webhook_id from service.webhook_progress where wake limit 1000 for update skip locked)
  returning webhook_id as id`);

/** Webhooks with a delivery that has been due for some seconds: their job was lost. */
const readOverdue = statement(`
  select webhook.id from service.webhooks webhook
  join service.webhook_progress progress on progress.webhook_id = webhook.id
  where webhook.state = 'active' and (resume_at is null or resume_at < now() - interval '5 seconds')
    and exists (select from service.delivery_lanes lane
      where lane.webhook_id = webhook.id and waiting > 0 and due_at < now() - interval '5 seconds')
  limit 1000`);

const hasWork = statement(`
  select exists (select from service.events
      where events.sequence > (select cursor.sequence from service.delivery_cursor cursor))
    or exists (select from service.webhook_progress where wake)
    or $1 and exists (
      select from service.webhook_progress progress
      join service.webhooks webhook on webhook.id = progress.webhook_id
      where position <= (select sequence from service.delivery_cursor) and webhook.state = 'active'
        and resume_at is null) as work`);

/**
 * Whether a turn would find anything to do.
 * @param catchesUp whether the turn looks at webhooks that are behind
 */
export async function hasEventsToQueue(db: Database, catchesUp: boolean): Promise<boolean> {
  const [row] = await ask<{ work: boolean }>(db, hasWork, [catchesUp]);
  return row?.work ?? false;
}

export type Turn = {
  /** Webhooks that have something to send. */
  webhooks: string[];
  /** Whether another turn has more to do. */
  hasMore: boolean;
  /** Milliseconds for which webhooks that are behind were looked at without finding one that can go on. */
  wasted: number;
};

/**
 * Queues the next events.
 * @param catchesUp whether webhooks that are behind are looked at
 * @returns undefined where another process is at it
 */
export async function queueEvents(tx: Transaction, catchesUp = true): Promise<Turn | undefined> {
  const [cursor] = await ask<{ sequence: number }>(tx, lockCursor, []);
  if (cursor === undefined) return undefined;
  const first = cursor.sequence;
  const [batch] = await ask<{ last: number | null }>(tx, lastOfBatch, [first]);
  const last = batch?.last ?? first;
  const filled: { id: string }[] = [];
  if (last > first) {
    await ask(tx, leaveBehind, [first]);
    filled.push(...(await ask<{ id: string }>(tx, queueForAll, [first, last])));
  }
  type Behind = { id: string; isBehind: boolean; isFilled: boolean };
  const begun = performance.now();
  const behind = catchesUp ? await ask<Behind>(tx, catchUp, [last]) : [];
  const wasted = catchesUp && behind.length === 0 ? performance.now() - begun : 0;
  const woken = await ask<{ id: string }>(tx, takeWakes, []);
  const all = [...filled, ...behind.filter(({ isFilled }) => isFilled), ...woken];
  return {
    webhooks: [...new Set(all.map(({ id }) => id))],
    hasMore: last > first || behind.some(({ isBehind }) => isBehind),
    wasted,
  };
}

/**
 * Looks after what single turns do not see, in the transaction of one: webhooks for which too much waits.
 * @returns webhooks whose job was lost
 */
export async function tidyUp(tx: Transaction): Promise<string[]> {
  await ask(tx, leaveCrowded, []);
  return (await ask<{ id: string }>(tx, readOverdue, [])).map(({ id }) => id);
}
