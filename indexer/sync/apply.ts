import { type BlockHeader, forgetEmptyBlocks, insertBlocks } from "../../db/chain/blocks.ts";
import { insertCancellations } from "../../db/chain/cancellations.ts";
import { lockIndexPosition, moveIndexPosition } from "../../db/chain/index-position.ts";
import { applyLinkChanges } from "../../db/chain/links.ts";
import { insertNonces } from "../../db/chain/nonces.ts";
import { insertRevert } from "../../db/chain/reverts.ts";
import { insertUndecoded } from "../../db/chain/undecoded.ts";
import { inTransaction, type Pool, type Transaction } from "../../db/core/pool.ts";
import { inBatches } from "../../db/service/requests/batches.ts";
import { hasRequests } from "../../db/service/requests/counts.ts";
import { markSettled } from "../../db/service/requests/endings.ts";
import { noteFacts } from "../../db/service/requests/history.ts";
import { requestsTouched } from "../../db/service/requests/touched.ts";
import { tieTransactions } from "../../db/service/transactions/mined.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import { ChainMovedError } from "../../rpc/errors.ts";
import type { Fates } from "../outbox/outcomes.ts";
import type { Brought } from "./read-range.ts";

/** Consecutive blocks with all that they bring; `blocks` holds those worth storing, the last one always. */
export type Batch = {
  blocks: readonly [...BlockHeader[], BlockHeader];
  brought: Brought;
  fates: Fates;
  finalNumber: number;
  /** Whether the last block is the chain's head. */
  atHead: boolean;
  /** Whether the index lacks its late parts: empty blocks are looked for when it has them. */
  filling: boolean;
};

/**
 * Stores a batch and moves the cursor to its last block, in one transaction: whatever stops the process,
 * the tables and the cursor agree.
 * @throws ChainMovedError where the cursor is no longer where the batch was read from
 */
export async function applyBatch(pool: Pool, from: IndexPosition, batch: Batch): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await expectCursor(tx, from);
    const { fates } = batch;
    await insertBlocks(
      tx,
      fates.reverts.map(({ block }) => block),
    );
    for (const { hash, block, reason } of fates.reverts) {
      await insertRevert(tx, { hash, blockNumber: block.number, reason });
    }
    const last = await storeBlocks(tx, from, batch);
    await insertNonces(tx, last.number, fates.nonces);
    await noteChanges(tx, batch);
  });
  batch.brought.assets.release();
}

/**
 * Stores what blocks bring by themselves, whoever made it, and moves the cursor from `from` to the last one.
 * @returns the last one
 */
export async function storeBlocks(
  tx: Transaction,
  from: IndexPosition,
  { blocks, brought, finalNumber, filling }: Pick<Batch, "blocks" | "brought" | "finalNumber" | "filling">,
): Promise<BlockHeader> {
  await insertBlocks(tx, blocks);
  await brought.assets.insert(tx);
  await applyLinkChanges(tx, brought.links);
  await insertCancellations(tx, brought.cancellations);
  for (const log of brought.undecoded) await insertUndecoded(tx, log);
  const last = blocks[blocks.length - 1] as BlockHeader;
  await moveIndexPosition(tx, { blockNumber: last.number, blockHash: last.hash, finalNumber });
  // Each block is looked at once, when it becomes too deep for a reorg.
  const { reorgDepth } = limits;
  if (!filling) await forgetEmptyBlocks(tx, from.blockNumber - reorgDepth, last.number - reorgDepth);
  return last;
}

/** Locks the cursor and makes sure that nobody moved it since `from` was read. */
export async function expectCursor(tx: Transaction, from: IndexPosition): Promise<void> {
  const now = await lockIndexPosition(tx);
  if (now?.blockNumber === from.blockNumber && now.blockHash === from.blockHash) return;
  throw new ChainMovedError("Another indexer has moved the cursor");
}

/**
 * Behind the head a state may be older than one that was noted before the index was rebuilt, so states are
 * noted at the head only; until then the requests stay unsettled and are not forgotten.
 */
async function noteChanges(tx: Transaction, { brought, atHead, filling }: Batch): Promise<void> {
  // An index is often filled before anybody has asked for anything: then no list of its assets need be sent.
  if (filling && !(await hasRequests(tx))) return;
  const { assets, links, cancellations } = brought;
  const requests = await requestsTouched(tx, { assets: assets.ids, links, voided: cancellations });
  for (const batch of inBatches(requests)) {
    const tied = await tieTransactions(tx, batch);
    if (atHead) await noteFacts(tx, tied);
    else await markSettled(tx, batch, false);
  }
}
