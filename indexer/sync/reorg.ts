import type { Hash } from "viem";
import { type BlockHeader, deleteBlocksAbove, newestBlocks } from "../../db/chain/blocks.ts";
import { moveIndexPositionBack } from "../../db/chain/index-position.ts";
import { undoLeftAbove } from "../../db/chain/integrity.ts";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { tellRolledBack } from "../../db/service/events/chain-events.ts";
import { inBatches } from "../../db/service/requests/batches.ts";
import { recordStates } from "../../db/service/requests/history.ts";
import { makeDue } from "../../db/service/transactions/mined.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Node } from "../../rpc/node.ts";
import { FatalError } from "../fatal-error.ts";
import { expectCursor } from "./apply.ts";

export type Reorg = {
  ancestor: Pick<BlockHeader, "number" | "hash">;
  /** Blocks of the index that are no longer part of the chain. */
  depth: number;
  /** Hashes of the removed blocks that were stored. */
  removed: Hash[];
  /** Whether a final block was removed. */
  undidFinal: boolean;
  /** Orphaned rows, by table, that missing foreign keys left behind. */
  left: ReadonlyMap<string, number>;
};

/**
 * Finds the newest block that the index and the chain share, and undoes everything above it.
 * Nothing is written until the ancestor is found, so a failure on the way changes nothing.
 * @throws FatalError where none of the kept block hashes is on the chain
 */
export async function rollBack(
  pool: Pool,
  node: Node,
  cursor: IndexPosition,
  headNumber: number,
): Promise<Reorg> {
  const kept = await newestBlocks(pool, cursor.blockNumber, limits.reorgDepth + 1);
  const ancestor = await commonAncestor(node, cursor, kept, headNumber);
  let left: Reorg["left"] = new Map();
  await inTransaction(pool, async (tx) => {
    await expectCursor(tx, cursor);
    await tellRolledBack(tx, ancestor.number, cursor.blockNumber);
    const requests = await deleteBlocksAbove(tx, ancestor.number);
    left = await undoLeftAbove(tx, ancestor.number);
    await moveIndexPositionBack(tx, { blockNumber: ancestor.number, blockHash: ancestor.hash });
    await makeDue(tx, requests);
    for (const batch of inBatches(requests)) await recordStates(tx, batch);
  });
  return {
    ancestor,
    depth: cursor.blockNumber - ancestor.number,
    removed: kept.filter(({ number }) => number > ancestor.number).map(({ hash }) => hash),
    undidFinal: ancestor.number < cursor.finalNumber,
    left,
  };
}

type Kept = Pick<BlockHeader, "number" | "hash">;

/**
 * Searches in steps that double, then halves the last one: a shared block's ancestors are shared, too, so a
 * reorg of any depth takes some fifteen calls.
 * @param kept stored blocks, newest first
 */
async function commonAncestor(
  node: Node,
  cursor: IndexPosition,
  kept: readonly Kept[],
  headNumber: number,
): Promise<Kept> {
  const deepest = cursor.blockNumber - limits.reorgDepth;
  const within = kept.filter(({ number }) => number <= headNumber && number >= deepest);
  let lost = -1;
  let shared = 0;
  while (shared < within.length && !(await isShared(node, within[shared] as Kept))) {
    lost = shared;
    // The oldest one is checked too before the search is given up.
    shared = shared === within.length - 1 ? within.length : Math.min(within.length - 1, shared * 2 + 1);
  }
  if (shared >= within.length) throw unknownChain(cursor, within);
  while (shared - lost > 1) {
    const middle = Math.floor((shared + lost) / 2);
    if (await isShared(node, within[middle] as Kept)) shared = middle;
    else lost = middle;
  }
  return within[shared] as Kept;
}

async function isShared(node: Node, block: Kept): Promise<boolean> {
  const onChain = await node.header(block.number);
  if (onChain !== undefined) return onChain.hash === block.hash;
  if (await node.leavesOut(block.number)) return false;
  throw new ChainMovedError(`The node has no block ${block.number} at the moment`);
}

function unknownChain(cursor: IndexPosition, within: readonly Kept[]): FatalError {
  const oldest = within.at(-1)?.number ?? cursor.blockNumber;
  return new FatalError(
    `The chain behind RPC_URL shares none of the blocks ${oldest} to ${cursor.blockNumber} with the index: ` +
      "a reorg deeper than those, or another chain. Nothing was changed. Check RPC_URL; if the chain is right, " +
      "rebuild the index from it with `npm run reindex`.",
  );
}
