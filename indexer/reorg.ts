import { type BlockHeader, deleteBlocksAbove, newestBlocks } from "../db/blocks.ts";
import { type Cursor, moveCursor } from "../db/cursor.ts";
import { noteStates } from "../db/history.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { lookAgain } from "../db/transactions.ts";
import { limits } from "../domain/limits.ts";
import { expectCursor } from "./apply.ts";
import { ChainMovedError, FatalError } from "./errors.ts";
import type { Node } from "./node.ts";

export type Reorg = {
  ancestor: Pick<BlockHeader, "number" | "hash">;
  /** Blocks of the index that are no longer part of the chain. */
  depth: number;
  /** Whether a block was removed that counted as final. */
  undidFinal: boolean;
};

/**
 * Finds the newest block that the index and the chain share, and undoes everything above it.
 * Nothing is written until the ancestor is found, so a failure on the way changes nothing.
 * @throws FatalError where none of the kept block hashes is on the chain
 */
export async function rollBack(pool: Pool, node: Node, cursor: Cursor, headNumber: number): Promise<Reorg> {
  const ancestor = await commonAncestor(pool, node, cursor, headNumber);
  const finalNumber = Math.min(cursor.finalNumber, ancestor.number);
  await inTransaction(pool, async (tx) => {
    await expectCursor(tx, cursor);
    const requests = await deleteBlocksAbove(tx, ancestor.number);
    await moveCursor(tx, { blockNumber: ancestor.number, blockHash: ancestor.hash, finalNumber });
    await lookAgain(tx, requests);
    await noteStates(tx, requests);
  });
  return {
    ancestor,
    depth: cursor.blockNumber - ancestor.number,
    undidFinal: ancestor.number < cursor.finalNumber,
  };
}

async function commonAncestor(pool: Pool, node: Node, cursor: Cursor, headNumber: number) {
  const kept = await newestBlocks(pool, cursor.blockNumber, limits.reorgDepth + 1);
  for (const block of kept) {
    if (block.number > headNumber) continue;
    const onChain = await node.header(block.number);
    if (onChain === undefined)
      throw new ChainMovedError(`The node has no block ${block.number} at the moment`);
    if (onChain.hash === block.hash) return block;
  }
  const oldest = kept.at(-1);
  throw new FatalError(
    `The chain behind RPC_URL shares none of the blocks ${oldest?.number} to ${kept[0]?.number} with the index: ` +
      "a reorg deeper than those, or another chain. Nothing was changed. Check RPC_URL; if the chain is right, " +
      "rebuild the index from it.",
  );
}
