import { addressFromBytes, fromBytes, toBytes } from "../../domain/bytes.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { Database, Transaction } from "../core/pool.ts";
import { queryPatiently } from "../core/statement-timeout.ts";

export type IndexPositionRow = {
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

/** Reads the position and locks it against other writers until the transaction ends. */
export async function lockIndexPosition(tx: Transaction): Promise<IndexPosition | undefined> {
  const { rows } = await tx.query<IndexPositionRow>("select * from chain.cursor for update");
  return rows[0] && parseIndexPosition(rows[0]);
}

export function parseIndexPosition(row: IndexPositionRow): IndexPosition {
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

/** Creates the index position. Requests that were settled by an earlier index become unsettled. */
export async function createIndexPosition(
  tx: Transaction,
  position: Pick<IndexPosition, "chainId" | "registry" | "startBlock" | "headNumber">,
): Promise<void> {
  await tx.query(
    `insert into chain.cursor (chain_id, registry, start_block, block_number, head_number)
     values ($1, $2, $3, $3::bigint - 1, $4)`,
    [position.chainId, toBytes(position.registry), position.startBlock, position.headNumber],
  );
  // All of them, however many: an index begins once.
  await queryPatiently(tx, "update service.requests set settled = false where settled");
}

/** Moves the position forward. The final block never moves back. */
export async function moveIndexPosition(
  tx: Transaction,
  to: Pick<IndexPosition, "blockNumber" | "blockHash" | "finalNumber">,
): Promise<void> {
  await tx.query(
    `update chain.cursor
     set block_number = $1, block_hash = $2, final_number = greatest(final_number, least($3::bigint, $1::bigint))`,
    [to.blockNumber, to.blockHash === undefined ? null : toBytes(to.blockHash), to.finalNumber],
  );
}

/** Moves the position back to a common ancestor, the only case in which a block stops being final. */
export async function moveIndexPositionBack(
  tx: Transaction,
  to: Pick<IndexPosition, "blockNumber" | "blockHash">,
): Promise<void> {
  await tx.query(
    `update chain.cursor
     set block_number = $1, block_hash = $2, final_number = least(final_number, $1::bigint)`,
    [to.blockNumber, to.blockHash === undefined ? null : toBytes(to.blockHash)],
  );
}

/** Stores the node's head, and the depth at which a block is final. */
export async function recordHead(
  db: Database,
  headNumber: number,
  confirmations: IndexPosition["confirmations"],
): Promise<void> {
  await db.query(
    "update chain.cursor set head_number = $1, head_seen_at = now(), confirmations = $2, halted_reason = null",
    [headNumber, confirmations === "finalized" ? null : confirmations],
  );
}

/** Stores why indexing has halted; the data stays and is served. */
export async function recordHalt(db: Database, reason: string): Promise<void> {
  await db.query("update chain.cursor set halted_reason = $1", [reason]);
}
