import type { Address, Hash, Hex } from "viem";
import { limits } from "../../../domain/limits.ts";
import { addressFromBytes, fromBytes, toBytes } from "../../core/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/**
 * Stores the hash of a transaction that a wallet says it has sent. Of each request only the newest are
 * kept. The request is locked.
 * @returns whether it was not stored before
 */
export async function storeHint(tx: Transaction, requestId: string, hash: Hash): Promise<boolean> {
  // What is returned sees the table as it was before.
  const { rows } = await tx.query<{ is_new: boolean }>(
    `insert into service.transaction_hints (request_id, hash, reported_at) values ($1, $2, clock_timestamp())
     on conflict (request_id, hash) do update set reported_at = excluded.reported_at
     returning not exists (select from service.transaction_hints where request_id = $1 and hash = $2) as is_new`,
    [requestId, toBytes(hash)],
  );
  await tx.query(
    `delete from service.transaction_hints where request_id = $1 and hash in (
       select hash from service.transaction_hints where request_id = $1
       order by reported_at desc, hash desc offset $2)`,
    [requestId, limits.reportedHashes],
  );
  return rows[0]?.is_new === true;
}

/** A reported hash, and the call that it is said to be of. */
export type Hint = {
  hash: Hash;
  requestId: string;
  author: Address;
  registry: Address;
  calldata: Hex;
  afterBlock: number | undefined;
};

/**
 * Reported hashes of unsettled requests that are due for a look and that nothing has tied to their request yet.
 * Tenants take turns, and within a tenant its requests, so that no flood of hashes keeps another's waiting. Only
 * the newest of a request are looked at.
 * @param ofOneRequest most hashes of one request
 */
export async function hintsToCheck(db: Database, limit: number, ofOneRequest: number): Promise<Hint[]> {
  const { rows } = await db.query<{
    hash: Buffer;
    request_id: string;
    author: Buffer;
    registry: Buffer;
    calldata: Buffer;
    after_block: number | null;
  }>(
    `with due as (
       select request.id, request.tenant, hint.hash, hint.next_look_at,
         row_number() over (partition by request.id order by hint.looks, hint.reported_at desc) as place
       from (select id, tenant from service.requests where not settled offset 0) request
       cross join lateral (
         select * from service.transaction_hints where request_id = request.id
         order by reported_at desc, hash desc limit $3) hint
       where hint.next_look_at <= now()
         and not exists (select from service.transactions sent where sent.hash = hint.hash)),
     turns as (
       select id, hash, next_look_at, row_number() over (partition by tenant order by place, next_look_at) as turn
       from due where place <= $2),
     next as (select * from turns order by turn, next_look_at limit $1)
     select next.hash, next.id as request_id, request.author, request.registry, request.calldata, request.after_block
     from next join service.requests request on request.id = next.id
     order by next.turn, next.next_look_at`,
    [limit, ofOneRequest, limits.reportedHashes],
  );
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    author: addressFromBytes(row.author),
    registry: addressFromBytes(row.registry),
    calldata: fromBytes(row.calldata),
    afterBlock: row.after_block ?? undefined,
  }));
}

/** Notes that the node does not show a reported hash as the generated call; each time it waits twice as long. */
export async function postponeHint(db: Database, requestId: string, hash: Hash): Promise<void> {
  await db.query(
    `update service.transaction_hints
     set looks = looks + 1, next_look_at = now() + make_interval(secs => least(300, 0.5 * 2 ^ least(looks, 10)))
     where request_id = $1 and hash = $2`,
    [requestId, toBytes(hash)],
  );
}

/** Removes hashes that were reported too long ago to be looked for still, some at a time. @returns how many */
export async function removeOldHints(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.transaction_hints where ctid in (
       select ctid from service.transaction_hints
       where reported_at < now() - make_interval(hours => $2) order by reported_at limit $1
       for update skip locked)`,
    [most, limits.reportedHashHours],
  );
  return rowCount ?? 0;
}
