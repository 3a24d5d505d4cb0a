import { type BlockHeader, forgetEmptyBlocks, insertBlocks } from "../../db/chain/blocks.ts";
import { insertCancellations } from "../../db/chain/cancellations.ts";
import { lockIndexPosition, moveIndexPosition } from "../../db/chain/index-position.ts";
import { applyLinkChanges } from "../../db/chain/links.ts";
import { insertNonces } from "../../db/chain/nonces.ts";
import { insertRevert } from "../../db/chain/reverts.ts";
import { insertUndecoded } from "../../db/chain/undecoded.ts";
import { inTransaction, type Pool, type Transaction } from "../../db/core/pool.ts";
import { tellAdded, tellFinal } from "../../db/service/events/chain-events.ts";
import { inBatches } from "../../db/service/requests/batches.ts";
import { hasRequests } from "../../db/service/requests/counts.ts";
import { markSettled } from "../../db/service/requests/endings.ts";
import { recordStatesOf } from "../../db/service/requests/history.ts";
import { requestsTouched } from "../../db/service/requests/touched.ts";
import { tieTransactions } from "../../db/service/transactions/mined.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Outcomes } from "../outbox/outcomes.ts";
import type { Brought } from "./read-range.ts";

/** Consecutive blocks with their events; `blocks` holds those worth storing, always including the last. */
export type Batch = {
  blocks: readonly [...BlockHeader[], BlockHeader];
  brought: Brought;
  outcomes: Outcomes;
  finalNumber: number;
  /** Whether the last block is the chain's head. */
  atHead: boolean;
  /** Whether the deferred indexes are missing; blocks without events are pruned when they are built. */
  initialSync: boolean;
};

/**
 * Stores a batch and moves the index position to its last block, in one transaction.
 * @throws ChainMovedError where the cursor is no longer where the batch was read from
 */
export async function applyBatch(pool: Pool, from: IndexPosition, batch: Batch): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await expectCursor(tx, from);
    const { outcomes } = batch;
    await insertBlocks(
      tx,
      outcomes.reverts.map(({ block }) => block),
    );
    for (const { hash, block, reason } of outcomes.reverts) {
      await insertRevert(tx, { hash, blockNumber: block.number, reason });
    }
    const last = await storeBlocks(tx, from, batch);
    await insertNonces(tx, last.number, outcomes.nonces);
    if (!batch.initialSync) await tellEvents(tx, from, endOf(from, last, batch.finalNumber), batch.brought);
    await recordChanges(tx, batch);
  });
  batch.brought.assets.release();
}

/**
 * Stores blocks with their events, and moves the index position from `from` to the last block; `finalNumber` is undefined
 * while nobody has asked what is final.
 * @returns the last block
 */
export async function storeBlocks(
  tx: Transaction,
  from: IndexPosition,
  {
    blocks,
    brought,
    finalNumber,
    initialSync,
  }: Pick<Batch, "blocks" | "brought" | "initialSync"> & { finalNumber: number | undefined },
): Promise<BlockHeader> {
  await insertBlocks(tx, blocks);
  await brought.assets.insert(tx);
  await applyLinkChanges(tx, brought.links);
  await insertCancellations(tx, brought.cancellations);
  for (const log of brought.undecoded) await insertUndecoded(tx, log);
  const last = blocks[blocks.length - 1] as BlockHeader;
  const to = { blockNumber: last.number, blockHash: last.hash, finalNumber: finalNumber ?? -1 };
  await moveIndexPosition(tx, to);
  // Each block is checked once, when nothing needs it any more.
  if (!initialSync) await forgetEmptyBlocks(tx, ...noLongerNeeded(from, last, finalNumber));
  return last;
}

/** Writes the events of the chain; most blocks bring none. */
async function tellEvents(
  tx: Transaction,
  from: IndexPosition,
  to: Pick<IndexPosition, "blockNumber" | "finalNumber">,
  { assets, links }: Brought,
): Promise<void> {
  if (assets.ids.length > 0 || links.length > 0) await tellAdded(tx, from.blockNumber, to.blockNumber);
  if (to.finalNumber > from.finalNumber) await tellFinal(tx, from.finalNumber, to.finalNumber);
}

/** The position to which a batch that ends with `last` moves the index. The final block never moves back. */
function endOf(
  from: IndexPosition,
  last: BlockHeader,
  finalNumber: number,
): Pick<IndexPosition, "blockNumber" | "finalNumber"> {
  const newestFinal = Math.max(from.finalNumber, Math.min(finalNumber, last.number));
  return { blockNumber: last.number, finalNumber: newestFinal };
}

/** Most blocks without events that are stored because they are not final. */
const mostUnfinal = 1_024;

/** The blocks, from the first to before the second, that are needed no more where they have no event. */
function noLongerNeeded(
  from: IndexPosition,
  last: BlockHeader,
  finalNumber: number | undefined,
): [number, number] {
  if (finalNumber === undefined) {
    return [from.blockNumber - limits.reorgDepth, last.number - limits.reorgDepth];
  }
  const end = endOf(from, last, finalNumber);
  return [neededFrom(from.blockNumber, from.finalNumber), neededFrom(end.blockNumber, end.finalNumber)];
}

/**
 * The first block that is needed though it has no event: all that a reorg may remove, and the newest final one, at which
 * proofs are made, with those after it, each of which will be that.
 */
const neededFrom = (blockNumber: number, finalNumber: number): number =>
  Math.min(blockNumber - limits.reorgDepth, Math.max(finalNumber, blockNumber - mostUnfinal));

/** Locks the index position and checks that it has not moved since `from` was read. */
export async function expectCursor(tx: Transaction, from: IndexPosition): Promise<void> {
  const now = await lockIndexPosition(tx);
  if (now?.blockNumber === from.blockNumber && now.blockHash === from.blockHash) return;
  throw new ChainMovedError("Another indexer has moved the cursor");
}

/**
 * States are stored at the head only: behind it a state may be older than one stored before the index was rebuilt.
 * Until then the requests stay unsettled.
 */
async function recordChanges(tx: Transaction, { brought, atHead, initialSync }: Batch): Promise<void> {
  // During an initial sync there are often no requests at all, so their assets need not be sent.
  if (initialSync && !(await hasRequests(tx))) return;
  const { assets, links, cancellations } = brought;
  const requests = await requestsTouched(tx, { assets: assets.ids, links, voided: cancellations });
  for (const batch of inBatches(requests)) {
    const tied = await tieTransactions(tx, batch);
    if (atHead) await recordStatesOf(tx, tied);
    else await markSettled(tx, batch, false);
  }
}
