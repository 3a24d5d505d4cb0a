import type { Hash } from "viem";
import { fromBytes, toBytes } from "./bytes.ts";
import { subjectOf } from "./cancellations.ts";
import type { Database, Transaction } from "./pool.ts";
import { markSettled } from "./requests.ts";

/** `timestamp` in seconds since 1970. */
export type BlockHeader = { number: number; hash: Hash; parentHash: Hash; timestamp: number };

/** Stores blocks; one that is stored already with the same hash stays. A different hash is an error. */
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
 * Undoes everything above `ancestor`: deleting a block deletes what it brought and restores the links that
 * it revoked. Requests that lose a fact by it are looked at again.
 * @returns ids of those requests
 */
export async function deleteBlocksAbove(tx: Transaction, ancestor: number): Promise<string[]> {
  // Locked in the order of `lockRequests`.
  const { rows } = await tx.query<{ id: string }>(
    `select request.id from service.requests request
     where request.asset_id in (
         select id from chain.assets where block_number > $1
         union select parent from chain.links where block_number > $1 or revoked_block > $1)
       or request.id in (
         select sent.request_id from service.transactions sent
         join chain.reverts revert on revert.transaction_hash = sent.hash
         where revert.block_number > $1)
       or (request.author in (select address from chain.nonces where block_number > $1)
         and exists (select from service.transactions sent where sent.request_id = request.id))
       or exists (
         select from chain.cancellations where block_number > $1
           and author = request.author and subject = ${subjectOf("request")})
     order by request.id for update of request`,
    [ancestor],
  );
  const ids = rows.map(({ id }) => id);
  await markSettled(tx, ids, false);
  await tx.query("delete from chain.blocks where number > $1", [ancestor]);
  return ids;
}

/** Forgets blocks from `from` to below `to` that nothing hangs on; they are too deep for a reorg. */
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
