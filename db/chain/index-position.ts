import type { Address, Hash } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "../core/bytes.ts";
import type { Database, Transaction } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import { queryPatiently } from "../core/statement-timeout.ts";

/** How far the index is, and of which registry on which chain. */
export type Cursor = {
  chainId: number;
  registry: Address;
  startBlock: number;
  /** Everything up to this block is indexed; `startBlock - 1` before the first. */
  blockNumber: number;
  /** Undefined before the first block. */
  blockHash: Hash | undefined;
  /** Newest final block; -1 while there is none. */
  finalNumber: number;
  /** CONFIRMATIONS as the indexer applies it. */
  confirmations: number | "finalized";
  headNumber: number;
  headSeenAt: Date;
  haltedReason: string | undefined;
};

type CursorRow = {
  chain_id: number;
  registry: Buffer;
  start_block: number;
  block_number: number;
  block_hash: Buffer | null;
  final_number: number;
  confirmations: number | null;
  head_number: number;
  head_seen_at: Date;
  halted_reason: string | null;
};

/** @returns undefined before the indexer ran for the first time */
export async function readCursor(db: Database): Promise<Cursor | undefined> {
  const [row] = await ask<CursorRow>(db, cursor, []);
  return row && parseCursor(row);
}

const cursor = statement(`
  select chain_id, registry, start_block, block_number, block_hash, final_number, confirmations, head_number,
    head_seen_at, halted_reason
  from chain.cursor`);

/** Reads the cursor and keeps every other writer out until the transaction ends. */
export async function lockCursor(tx: Transaction): Promise<Cursor | undefined> {
  const { rows } = await tx.query<CursorRow>("select * from chain.cursor for update");
  return rows[0] && parseCursor(rows[0]);
}

function parseCursor(row: CursorRow): Cursor {
  return {
    chainId: row.chain_id,
    registry: addressFromBytes(row.registry),
    startBlock: row.start_block,
    blockNumber: row.block_number,
    blockHash: row.block_hash === null ? undefined : fromBytes(row.block_hash),
    finalNumber: row.final_number,
    confirmations: row.confirmations ?? "finalized",
    headNumber: row.head_number,
    headSeenAt: row.head_seen_at,
    haltedReason: row.halted_reason ?? undefined,
  };
}

/** Begins an index. Requests that were settled by facts of an earlier index are looked at again. */
export async function createCursor(
  tx: Transaction,
  cursor: Pick<Cursor, "chainId" | "registry" | "startBlock" | "headNumber">,
): Promise<void> {
  await tx.query(
    `insert into chain.cursor (chain_id, registry, start_block, block_number, head_number)
     values ($1, $2, $3, $3::bigint - 1, $4)`,
    [cursor.chainId, toBytes(cursor.registry), cursor.startBlock, cursor.headNumber],
  );
  // Of however many there are: an index begins once.
  await queryPatiently(tx, "update service.requests set settled = false where settled");
}

/** Moves the cursor forward. A block that was final stays so, whatever `finalNumber` is now said to be. */
export async function moveCursor(
  tx: Transaction,
  to: Pick<Cursor, "blockNumber" | "blockHash" | "finalNumber">,
): Promise<void> {
  await tx.query(
    `update chain.cursor
     set block_number = $1, block_hash = $2, final_number = greatest(final_number, least($3::bigint, $1::bigint))`,
    [to.blockNumber, to.blockHash === undefined ? null : toBytes(to.blockHash), to.finalNumber],
  );
}

/** Moves the cursor back to a common ancestor: the only way by which a block stops being final. */
export async function moveCursorBack(
  tx: Transaction,
  to: Pick<Cursor, "blockNumber" | "blockHash">,
): Promise<void> {
  await tx.query(
    `update chain.cursor
     set block_number = $1, block_hash = $2, final_number = least(final_number, $1::bigint)`,
    [to.blockNumber, to.blockHash === undefined ? null : toBytes(to.blockHash)],
  );
}

/** Notes what the node named as its head, and the depth that makes a block final. */
export async function noteHead(
  db: Database,
  headNumber: number,
  confirmations: Cursor["confirmations"],
): Promise<void> {
  await db.query(
    "update chain.cursor set head_number = $1, head_seen_at = now(), confirmations = $2, halted_reason = null",
    [headNumber, confirmations === "finalized" ? null : confirmations],
  );
}

/** Notes why the indexer has stopped writing; the data stays and is served. */
export async function noteHalt(db: Database, reason: string): Promise<void> {
  await db.query("update chain.cursor set halted_reason = $1", [reason]);
}
