import type { Address, Hash, Hex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { deriveState, isRevoked, type KnownReason } from "../../../domain/request/state.ts";
import { addressFromBytes, fromBytes, toBytes } from "../../core/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { findRequestOutlines, lockRequest, lockRequests } from "../requests/requests.ts";

/** A transaction to look after: send it, or see that the node still has it. */
export type WatchedTransaction = {
  hash: Hash;
  requestId: string;
  assetId: AssetId;
  raw: Hex | undefined;
  nonce: number | undefined;
  accepted: boolean;
  /** Looks in a row that came to nothing. */
  looks: number;
  author: Address;
  /** Whether the request's time to be signed is over; what no node took by then is given up. */
  expired: boolean;
};

/**
 * Transactions of unsettled requests that are due for a look: tenants take turns, and within a tenant its authors,
 * each with what is longest due. The relayer looks after its own.
 */
export async function transactionsDue(db: Database, limit: number): Promise<WatchedTransaction[]> {
  const { rows } = await db.query<DueRow>(due, [limit]);
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    assetId: fromBytes(row.asset_id),
    raw: row.raw === null ? undefined : fromBytes(row.raw),
    nonce: row.nonce ?? undefined,
    accepted: row.accepted,
    looks: row.looks,
    author: addressFromBytes(row.author),
    expired: row.expired,
  }));
}

type DueRow = {
  hash: Buffer;
  request_id: string;
  asset_id: Buffer;
  raw: Buffer | null;
  nonce: number | null;
  accepted: boolean;
  looks: number;
  author: Buffer;
  expired: boolean;
};

// From the open requests on, of which there are few. Without a name, because a plan from when there were few of
// all would read all of them for ever.
const due = `
  with due as (
    select sent.hash, request.id, request.tenant, request.author, request.asset_id, request.expires_at,
      sent.next_look_at, sent.stored_at, sent.nonce,
      row_number() over (
        partition by request.tenant, request.author order by sent.next_look_at, sent.stored_at, sent.nonce) as place
    from (select id, tenant, author, asset_id, expires_at from service.requests where not settled offset 0) request
    cross join lateral (
      select hash, by_author, next_look_at, stored_at, nonce from service.transactions
      where request_id = request.id and hopeless is null and next_look_at <= now() offset 0) sent
    where sent.by_author or not exists (select from service.relayer_attempts own where own.hash = sent.hash)),
  turns as (
    select *, row_number() over (partition by tenant order by place, next_look_at, stored_at, nonce) as turn
    from due),
  next as (select * from turns order by turn, next_look_at, stored_at, nonce limit $1)
  select next.hash, next.id as request_id, next.asset_id, sent.raw, next.nonce, sent.accepted_at is not null as accepted, sent.looks,
    next.author, next.expires_at <= now() as expired
  from next join service.transactions sent on sent.hash = next.hash and sent.request_id = next.id
  order by next.turn, next.next_look_at, next.stored_at, next.nonce`;

/** Why a signed transaction is not sent at the moment; undefined where it is. */
export type Stop = "closed" | "behind another";

/**
 * Which of these transactions must not be sent: their request has ended or its change is on the chain, or another
 * transaction of the request may still be executed before it, so that both would be. Asked right before they are
 * sent: a refusal may have come since they were read.
 */
export async function reasonsNotToSend(
  db: Database,
  all: readonly Pick<WatchedTransaction, "requestId" | "nonce">[],
): Promise<(Stop | undefined)[]> {
  const found = await findRequestOutlines(
    db,
    all.map(({ requestId }) => requestId),
  );
  const requests = new Map(found.map((request) => [request.id, request]));
  const asked = all.map(({ requestId: id, nonce = 0 }, place) => ({ place, id, nonce }));
  const rows = await ask<{ place: number }>(db, behindAnother, [JSON.stringify(asked)]);
  const behind = new Set(rows.map(({ place }) => place));
  return asked.map(({ place, id }) => {
    const request = requests.get(id);
    if (request === undefined || request.facts.effect !== undefined) return "closed";
    if (isRevoked(deriveState(request.facts).state)) return "closed";
    return behind.has(place) ? "behind another" : undefined;
  });
}

const behindAnother = statement(`
  select asked.place
  from json_to_recordset($1::json) as asked (place integer, id uuid, nonce bigint)
  cross join lateral (select author from service.requests where id = asked.id limit 1) request
  where exists (
    select from service.transactions before
    where before.request_id = asked.id and before.nonce < asked.nonce and before.accepted_at is not null
      and not exists (
        select from chain.nonces where address = request.author and nonce > before.nonce))`);

export type Accepted = Pick<WatchedTransaction, "hash" | "requestId" | "nonce"> & { nextLookSeconds: number };

/** Notes that the node has transactions, by its answer or because a block holds them. */
export async function noteAccepted(tx: Transaction, ...all: readonly Accepted[]): Promise<void> {
  await lockRequests(
    tx,
    all.map(({ requestId }) => requestId),
  );
  // No row twice: one statement changes a row once.
  const rows = new Map(
    all.map(({ requestId: id, hash, nonce, nextLookSeconds: look }) => [
      `${id} ${hash}`,
      { id, hash, nonce, look },
    ]),
  );
  await ask(tx, accept, [JSON.stringify([...rows.values()])]);
}

const accept = statement(`
  insert into service.transactions as known (hash, request_id, nonce, accepted_at, next_look_at, looks)
  select decode(substr(hash, 3), 'hex'), id, nonce, now(), now() + make_interval(secs => look), 0
  from json_to_recordset($1::json) as seen (id uuid, hash text, nonce bigint, look double precision)
  on conflict (hash, request_id) do update set accepted_at = coalesce(known.accepted_at, now()),
    nonce = coalesce(known.nonce, excluded.nonce), hopeless = null,
    next_look_at = excluded.next_look_at, looks = 0, last_problem = null,
    missing_since = null, low_fee_since = null, refusals = 0, refused_since = null, refused_block = null`);

type Look = Pick<WatchedTransaction, "hash" | "requestId"> & { nextLookSeconds: number };

/** Notes that the node has a transaction of somebody else than the author, so that its nonce says nothing about them. */
export async function noteForeign(tx: Transaction, look: Look): Promise<void> {
  await noteSeen(tx, { ...look, lowFee: false });
  await tx.query("update service.transactions set by_author = false where hash = $1 and request_id = $2", [
    toBytes(look.hash),
    look.requestId,
  ]);
}

export type Seen = Look & { lowFee: boolean };

/** Notes that the node still has transactions, and whether their fees are below what the chain asks for. */
export async function noteSeen(tx: Transaction, ...looks: readonly Seen[]): Promise<void> {
  await lockRequests(
    tx,
    looks.map(({ requestId }) => requestId),
  );
  const rows = looks.map(({ hash, requestId: id, nextLookSeconds: look, lowFee: low }) => {
    return { hash, id, look, low };
  });
  await ask(tx, see, [JSON.stringify(rows)]);
}

const see = statement(`
  update service.transactions sent
  set looks = 0, next_look_at = now() + make_interval(secs => look), last_problem = null,
    refusals = 0, refused_since = null, refused_block = null, missing_since = null, low_fee_since = case when low then coalesce(low_fee_since, now()) end
  from json_to_recordset($1::json) as seen (id uuid, hash text, look double precision, low boolean)
  where sent.hash = decode(substr(seen.hash, 3), 'hex') and sent.request_id = seen.id`);

/** Notes that a look at a transaction came to nothing, and when to look again. */
export async function noteProblem(db: Database, look: Look & { problem: string }): Promise<void> {
  await db.query(
    `update service.transactions
     set looks = looks + 1, next_look_at = now() + make_interval(secs => $3), last_problem = $4
     where hash = $1 and request_id = $2`,
    [toBytes(look.hash), look.requestId, look.nextLookSeconds, look.problem],
  );
}

/** Notes that the node does not have a transaction that it had before, and that only the wallet can send again. */
export async function noteMissing(tx: Transaction, look: Look & { at: number | undefined }): Promise<void> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, { ...look, problem: "the node does not have it" });
  await tx.query(
    `update service.transactions set missing_since = coalesce(missing_since, now()), low_fee_since = null
     where hash = $1 and request_id = $2 and accepted_at is not null`,
    [toBytes(look.hash), look.requestId],
  );
  await countRefusal(tx, look);
}

/** One more look of a run at whose end nothing is expected of a transaction any more. */
async function countRefusal(
  tx: Transaction,
  { hash, requestId, at }: Pick<Look, "hash" | "requestId"> & { at: number | undefined },
): Promise<void> {
  if (at === undefined) return;
  await tx.query(
    `update service.transactions set refusals = refusals + 1, refused_since = coalesce(refused_since, now()),
       refused_block = least(refused_block, $3)
     where hash = $1 and request_id = $2`,
    [toBytes(hash), requestId, at],
  );
}

/** How many looks of a run, over how many seconds at least, are enough once its first block is final. */
type Run = { looks: number; seconds: number };

/** In SQL: whether the run of a transaction is over, by the parameters of these numbers. */
const isRunOver = ({ looks, seconds }: { looks: string; seconds: string }): string => `(
    sent.refusals >= ${looks} and sent.refused_since <= now() - make_interval(secs => ${seconds})
    and sent.refused_block <= (select final_number from chain.cursor limit 1))`;

export type Refused = Look & {
  problem: string;
  lowFee: boolean;
  /** Why it would not be sent again; undefined where it is in any case. */
  ending: KnownReason | undefined;
  /** The block that node and index share; undefined where the refusal counts for nothing. */
  at: number | undefined;
};

/**
 * Notes that the node refused a transaction.
 * @returns `again` where it is to be sent again; else whether something is left of the request that could be sent,
 *   or that the node had
 */
export async function noteRefused(
  tx: Transaction,
  look: Refused,
  { looks, seconds }: Run,
): Promise<"again" | "others left" | "nothing left"> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, look);
  const of = [toBytes(look.hash), look.requestId];
  await tx.query(
    `update service.transactions
     set low_fee_since = case when $3 then coalesce(low_fee_since, now()) end,
       missing_since = case when accepted_at is not null then coalesce(missing_since, now()) end
     where hash = $1 and request_id = $2`,
    [...of, look.lowFee],
  );
  if (look.ending === undefined) {
    await tx.query(
      `update service.transactions set refusals = 0, refused_since = null, refused_block = null
       where hash = $1 and request_id = $2`,
      of,
    );
    return "again";
  }
  await countRefusal(tx, look);
  const { rowCount: ended } = await tx.query(
    `update service.transactions sent set hopeless = $3
     where hash = $1 and request_id = $2 and ${isRunOver({ looks: "$4", seconds: "$5" })}`,
    [...of, look.ending, looks, seconds],
  );
  if (ended === 0) return "again";
  const { rowCount } = await tx.query(
    "select from service.transactions where request_id = $1 and hopeless is null limit 1",
    [look.requestId],
  );
  return rowCount === 0 ? "nothing left" : "others left";
}

/**
 * Whether a request, whose time is over, waits for transactions that nobody but their wallet can send again, and
 * the node has had none of them for so long. What the relayer sent is void by then.
 */
export async function isDropped(
  tx: Transaction,
  requestId: string,
  { looks, seconds }: Run,
): Promise<boolean> {
  const { rows } = await tx.query<{ dropped: boolean | null }>(
    `select bool_and(raw is null and coalesce(missing_since <= now() - make_interval(secs => $2), false)
         and coalesce(${isRunOver({ looks: "$3", seconds: "$2" })}, false)) as dropped
     from service.transactions sent where request_id = $1 and hopeless is null
       and not exists (select from service.relayer_attempts own where own.hash = sent.hash)`,
    [requestId, seconds, looks],
  );
  return rows[0]?.dropped === true;
}
