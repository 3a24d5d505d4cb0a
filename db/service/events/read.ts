import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import { chainKinds, type EventKind, requestKinds, walletKinds } from "../../../domain/events/kinds.ts";
import type { Database, Pool } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import type { User } from "../wallets.ts";
import { type EventRow, type LoggedEvent, parseEvent } from "./event.ts";

/**
 * A reader of events: a tenant sees its requests, a user their wallets and the requests that their wallets are to sign, and
 * everybody the chain.
 */
export type Audience = { tenant?: string | undefined; user?: User | undefined };

/** Whose events are read. Who knows the id of a request may read its events without being the tenant or the author. */
export type EventFilter = { kinds: readonly EventKind[]; assetId?: AssetId | undefined } & (
  | { requestId: string }
  | { requestId?: undefined; audience: Audience }
);

/** In SQL: events with what they show of their request, which never changes. */
const shown = (events: string) =>
  statement(`
  select event.sequence, event.id, event.at, event.kind, event.tenant, event.issuer, event.subject, event.request_id,
    request.kind as request_kind, event.reason, event.wallet_id, event.asset_id, event.target_id, event.author,
    event.transaction_hash, event.block_number, event.block_hash, event.block_time, event.details,
    case when request.kind <> 'create' then (
      select array_agg(child order by ordinal) from service.request_targets where request_id = request.id) end as targets
  from (select * from (${events}) source order by sequence limit $2) event
  left join service.requests request on request.id = event.request_id
  order by event.sequence`);

/** In SQL: the first events after `$1` that meet a condition, which an index finds. */
const first = (condition: string) => `(
  select * from service.events where sequence > $1 and ${condition} order by sequence limit $2)`;

const everything = shown(first("true"));
const numbered = shown("select * from service.events where sequence = any($1::bigint[])");
const ofRequest = shown(first("request_id = $4 and kind = any($3) and ($5::bytea is null or asset_id = $5)"));

/** In SQL: what tenant `$4` and user `$5`, `$6` may see. */
const visible = `(tenant = $4 or (issuer = $5 and subject = $6) or (tenant is null and issuer is null)
  or (request_id is not null and author in (
    select address from service.wallets where issuer = $5 and subject = $6)))`;

const ofAsset = shown(`
  ${first(`asset_id = $7 and kind = any($3) and ${visible}`)}
  union all
  ${first(`target_id = $7 and asset_id <> $7 and kind = any($3) and ${visible}`)}`);

/** Each kind by itself, so that a rare one is found without reading the others. */
const ofAudience = shown(`
  select found.* from unnest($3::text[]) wanted (one)
  cross join lateral ${first("tenant = $4 and kind = one")} found
  union all
  select found.* from service.wallets wallet
  cross join lateral ${first(`request_id is not null and author = wallet.address and kind = any($3)
    and tenant is distinct from $4`)} found
  where wallet.issuer = $5 and wallet.subject = $6
  union all
  select found.* from unnest($7::text[]) wanted (one)
  cross join lateral ${first("tenant is null and kind = one")} found
  union all
  ${first("issuer = $5 and subject = $6 and kind = any($8)")}`);

const number = statement("select service.number_events()");

/**
 * Numbers committed events that have no number yet, so that a reader finds all that was committed before. In a
 * transaction of its own: until that is committed, others wait with numbering.
 */
export async function numberEvents(pool: Pool): Promise<void> {
  await ask(pool, number, []);
}

/** Events of everybody after a sequence number, in order. */
export async function readAllEvents(pool: Pool, after: number, most: number): Promise<LoggedEvent[]> {
  await numberEvents(pool);
  return (await ask<EventRow>(pool, everything, [after, most])).map(parseEvent);
}

/** The events of these sequence numbers that are still kept, in order. */
export async function readEventsAt(db: Database, sequences: readonly number[]): Promise<LoggedEvent[]> {
  return (await ask<EventRow>(db, numbered, [sequences, sequences.length])).map(parseEvent);
}

/** The first events after a sequence number that a filter lets through, in order. */
export async function readEvents(
  db: Database,
  filter: EventFilter,
  after: number,
  most: number,
): Promise<LoggedEvent[]> {
  const { kinds } = filter;
  const assetId = filter.assetId === undefined ? null : toBytes(filter.assetId);
  const rows = (asked: typeof ofAsset, ...values: unknown[]) =>
    ask<EventRow>(db, asked, [after, most, ...values]);
  if (filter.requestId !== undefined) {
    return (await rows(ofRequest, kinds, filter.requestId, assetId)).map(parseEvent);
  }
  const { tenant = null, user } = filter.audience;
  const reader = [tenant, user?.issuer ?? null, user?.subject ?? null];
  if (assetId !== null) return (await rows(ofAsset, kinds, ...reader, assetId)).map(parseEvent);
  const of = (list: readonly EventKind[]) => list.filter((kind) => kinds.includes(kind));
  return (await rows(ofAudience, of(requestKinds), ...reader, of(chainKinds), of(walletKinds))).map(
    parseEvent,
  );
}

/** Sequence numbers of the oldest and the newest event; both are 0 while there is none. */
export async function eventBounds(db: Database): Promise<{ first: number; last: number }> {
  const [bounds] = await ask<{ first: number; last: number }>(db, ends, []);
  return bounds ?? { first: 0, last: 0 };
}

const ends = statement(`
  select coalesce((select min(sequence) from service.events), 0) as first,
    coalesce((select max(sequence) from service.events), 0) as last`);
