import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "../../../domain/bytes.ts";
import { limits } from "../../../domain/limits.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/**
 * Stores the reported hash of a transaction that a wallet sent. Only the newest of each request are kept. The request is
 * locked.
 * @returns whether it is new
 */
export async function storeReportedHash(tx: Transaction, requestId: string, hash: Hash): Promise<boolean> {
  // RETURNING sees the table as it was before.
  const { rows } = await tx.query<{ is_new: boolean }>(
    `insert into service.reported_hashes (request_id, hash, reported_at) values ($1, $2, clock_timestamp())
     on conflict (request_id, hash) do update set reported_at = excluded.reported_at
     returning not exists (select from service.reported_hashes where request_id = $1 and hash = $2) as is_new`,
    [requestId, toBytes(hash)],
  );
  await tx.query(
    `delete from service.reported_hashes where request_id = $1 and hash in (
       select hash from service.reported_hashes where request_id = $1
       order by reported_at desc, hash desc offset $2)`,
    [requestId, limits.reportedHashes],
  );
  return rows[0]?.is_new === true;
}

/** A reported hash with the call of its request. */
export type ReportedHash = {
  hash: Hash;
  requestId: string;
  author: Address;
  registry: Address;
  calldata: Hex;
  afterBlock: number | undefined;
};

/**
 * Due reported hashes of unsettled requests that are not verified yet, round-robin over tenants and over requests within
 * a tenant, so that a flood of hashes delays nobody else's. Only the newest of a request count.
 * @param ofOneRequest most hashes of one request
 */
export async function reportedHashesDue(
  db: Database,
  limit: number,
  ofOneRequest: number,
): Promise<ReportedHash[]> {
  const { rows } = await db.query<{
    hash: Buffer;
    request_id: string;
    author: Buffer;
    registry: Buffer;
    calldata: Buffer;
    after_block: number | null;
  }>(
    `with due as (
       select request.id, request.tenant, reported.hash, reported.next_attempt_at,
         row_number() over (partition by request.id order by reported.attempts, reported.reported_at desc) as place
       from (select id, tenant from service.requests where not settled offset 0) request
       cross join lateral (
         select * from service.reported_hashes where request_id = request.id
         order by reported_at desc, hash desc limit $3) reported
       where reported.next_attempt_at <= now()
         and not exists (select from service.transactions sent where sent.hash = reported.hash)),
     turns as (
       select id, hash, next_attempt_at, row_number() over (partition by tenant order by place, next_attempt_at) as turn
       from due where place <= $2),
     next as (select * from turns order by turn, next_attempt_at limit $1)
     select next.hash, next.id as request_id, request.author, request.registry, request.calldata, request.after_block
     from next join service.requests request on request.id = next.id
     order by next.turn, next.next_attempt_at`,
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

/** Stores that the node does not have a reported hash as the generated call; the pause doubles each time. */
export async function postponeReportedHash(db: Database, requestId: string, hash: Hash): Promise<void> {
  await db.query(
    `update service.reported_hashes
     set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => least(300, 0.5 * 2 ^ least(attempts, 10)))
     where request_id = $1 and hash = $2`,
    [requestId, toBytes(hash)],
  );
}

/** Deletes a batch of expired hashes. @returns how many */
export async function removeOldReportedHashes(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.reported_hashes where ctid in (
       select ctid from service.reported_hashes
       where reported_at < now() - make_interval(hours => $2) order by reported_at limit $1
       for update skip locked)`,
    [most, limits.reportedHashHours],
  );
  return rowCount ?? 0;
}
