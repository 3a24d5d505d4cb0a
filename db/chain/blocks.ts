import type { Hash } from "viem";
import { fromBytes, toBytes } from "../../domain/bytes.ts";
import type { Database, Transaction } from "../core/pool.ts";
import { requestsForLinks } from "../service/requests/complete-links.ts";
import { markSettled } from "../service/requests/endings.ts";
import { requestsVoided } from "./cancellations.ts";

/** `timestamp` in seconds since 1970. */
export type BlockHeader = { number: number; hash: Hash; parentHash: Hash; timestamp: number };

/** Stores blocks; one stored with the same hash is kept, another hash is an error. */
export async function insertBlocks(tx: Transaction, blocks: readonly BlockHeader[]): Promise<void> {
  if (blocks.length === 0) return;
  await tx.query(
    `insert into chain.blocks (number, hash, parent_hash, timestamp)
     select * from unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[])
     on conflict (hash) do nothing`,
    [
      blocks.map(({ number }) => number),
      blocks.map(({ hash }) => toBytes(hash)),
      blocks.map(({ parentHash }) => toBytes(parentHash)),
      blocks.map(({ timestamp }) => timestamp),
    ],
  );
}

/** Hashes of the newest stored blocks up to `from`, newest first. */
export async function newestBlocks(
  db: Database,
  from: number,
  limit: number,
): Promise<{ number: number; hash: Hash }[]> {
  const { rows } = await db.query<{ number: number; hash: Buffer }>(
    "select number, hash from chain.blocks where number <= $1 order by number desc limit $2",
    [from, limit],
  );
  return rows.map(({ number, hash }) => ({ number, hash: fromBytes(hash) }));
}

export async function findBlockHash(db: Database, number: number): Promise<Hash | undefined> {
  const { rows } = await db.query<{ hash: Buffer }>("select hash from chain.blocks where number = $1", [
    number,
  ]);
  return rows[0] && fromBytes(rows[0].hash);
}

/**
 * Undoes everything above `ancestor`: deleting a block deletes its rows and restores the links that it revoked. Requests
 * that lose a fact by it become unsettled again.
 * @returns ids of those requests
 */
export async function deleteBlocksAbove(tx: Transaction, ancestor: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string; lost: boolean }>(concerned, [ancestor]);
  const ids = rows.filter(({ lost }) => lost).map(({ id }) => id);
  await markSettled(tx, ids, false);
  // The new blocks may carry out a request that was made after the old ones.
  await tx.query(
    "update service.requests set after_block = $2 where id = any($1::uuid[]) and after_block > $2",
    [rows.map(({ id }) => id), ancestor],
  );
  await tx.query("delete from chain.blocks where number > $1", [ancestor]);
  return ids;
}

/**
 * Requests that lose a fact by the deleted blocks, found from the rows of those blocks. Of nonces, those count that the
 * deleted blocks passed and the ancestor did not. Also, but not as `lost`, the link changes that were requested after a
 * deleted block. Locked in the order of `lockRequests`.
 */
const concerned = `
  with lost as materialized (
    select request.id from chain.assets asset
      cross join lateral (
        select id from service.requests where asset_id = asset.id and (kind = 'create' or not settled) offset 0) request
      where asset.block_number > $1
    union
    (${requestsForLinks(`
        select parent, child from chain.links where block_number > $1
        union select parent, child from chain.links where revoked_block > $1`)})
    union
    select sent.request_id from chain.reverts revert
      cross join lateral (
        select request_id from service.transactions where hash = revert.transaction_hash offset 0) sent
      where revert.block_number > $1
    union
    select sent.request_id from (
        select address, most, coalesce((
          select nonce from chain.nonces before
          where before.address = taken.address and before.block_number <= $1
          order by block_number desc limit 1), 0) as least
        from (
          select address, max(nonce) as most from chain.nonces where block_number > $1 group by address) taken) moved
      cross join lateral (
        select request_id from service.transactions where transactions.author = moved.address and nonce >= moved.least and nonce < moved.most
        offset 0
      ) sent
    union
    (${requestsVoided("select author, subject from chain.cancellations where block_number > $1")}))
  select request.id, held.lost from (
    select id, bool_or(lost) as lost from (
      select id, true as lost from lost
      union all select id, false from service.requests where after_block > $1) one
    group by id order by id) held
  cross join lateral (select id from service.requests where id = held.id for update) request`;

/** @returns the number of the block that stands so many after `from`; undefined where that is not below `end` */
export async function blockAfter(
  db: Database,
  from: number,
  count: number,
  end: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>(
    "select number from chain.blocks where number >= $1 and number < $3 order by number offset $2 limit 1",
    [from, count, end],
  );
  return rows[0]?.number;
}

/** Deletes blocks from `from` to below `to` without rows; they are too deep for a reorg. */
export async function forgetEmptyBlocks(tx: Transaction, from: number, to: number): Promise<void> {
  await tx.query(
    `delete from chain.blocks block
     where block.number >= $1 and block.number < $2
       and not exists (select from chain.assets where block_number = block.number)
       and not exists (select from chain.links where block_number = block.number)
       and not exists (select from chain.links where revoked_block = block.number)
       and not exists (select from chain.reverts where block_number = block.number)
       and not exists (select from chain.nonces where block_number = block.number)
       and not exists (select from chain.cancellations where block_number = block.number)
       and not exists (select from chain.undecoded_logs where block_number = block.number)`,
    [from, to],
  );
}
