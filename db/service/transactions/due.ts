import type { Address, Hash, Hex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { addressFromBytes, fromBytes } from "../../../domain/bytes.ts";
import type { Database } from "../../core/pool.ts";

/** A transaction to send, or to look up at the node. */
export type WatchedTransaction = {
  hash: Hash;
  requestId: string;
  assetId: AssetId;
  raw: Hex | undefined;
  nonce: number | undefined;
  accepted: boolean;
  /** Consecutive failed attempts. */
  failures: number;
  author: Address;
  /** Whether the request has expired; a transaction that no node accepted by then is given up. */
  expired: boolean;
};

/**
 * Due transactions of unsettled requests: round-robin over tenants, and over authors within a tenant, the longest due
 * first. Those of the relayer are handled by itself.
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
    failures: row.failures,
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
  failures: number;
  author: Buffer;
  expired: boolean;
};

// Starts from the few open requests. Not prepared, because a plan from when the tables were small would scan them for
// ever.
const due = `
  with due as (
    select sent.hash, request.id, request.tenant, request.author, request.asset_id, request.expires_at,
      sent.next_attempt_at, sent.stored_at, sent.nonce,
      row_number() over (
        partition by request.tenant, request.author order by sent.next_attempt_at, sent.stored_at, sent.nonce) as place
    from (select id, tenant, author, asset_id, expires_at from service.requests where not settled offset 0) request
    cross join lateral (
      select hash, by_author, next_attempt_at, stored_at, nonce from service.transactions
      where request_id = request.id and hopeless is null and next_attempt_at <= now() offset 0) sent
    where sent.by_author or not exists (select from service.relayer_attempts own where own.hash = sent.hash)),
  turns as (
    select *, row_number() over (partition by tenant order by place, next_attempt_at, stored_at, nonce) as turn
    from due),
  next as (select * from turns order by turn, next_attempt_at, stored_at, nonce limit $1)
  select next.hash, next.id as request_id, next.asset_id, sent.raw, next.nonce, sent.accepted_at is not null as accepted, sent.failures,
    next.author, next.expires_at <= now() as expired
  from next join service.transactions sent on sent.hash = next.hash and sent.request_id = next.id
  order by next.turn, next.next_attempt_at, next.stored_at, next.nonce`;
