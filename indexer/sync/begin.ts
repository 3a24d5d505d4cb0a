import type { Address } from "viem";
import { insertBlocks } from "../../db/chain/blocks.ts";
import { dropDeferredIndexes } from "../../db/chain/deferred-indexes.ts";
import { createIndexPosition } from "../../db/chain/index-position.ts";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { limits } from "../../domain/limits.ts";
import { indexProblem, misplacedRegistry } from "../../domain/registry/place.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Node } from "../../rpc/node.ts";
import { FatalError } from "../fatal-error.ts";
import { lastBefore } from "./range.ts";

type Settings = { registry: Address; startBlock: number };

/**
 * Checks that node, registry and database match, and creates the index position where there is none.
 * @throws FatalError naming the setting that is wrong
 */
export async function beginIndex(pool: Pool, node: Node, { registry, startBlock }: Settings): Promise<void> {
  const chainId = await node.chainId();
  const cursor = await readIndexPosition(pool);
  const wrong = indexProblem({ chainId, registry }, cursor);
  if (wrong !== undefined) throw new FatalError(wrong);
  const head = await node.header("latest");
  if (head === undefined) throw new ChainMovedError("The node names no latest block");
  const code = await node.codeAt(registry, "latest");
  const misplaced = misplacedRegistry({ chainId, head: head.number, code, registry }, cursor);
  if (misplaced !== undefined) throw new FatalError(misplaced);
  if (cursor !== undefined) return;

  if (startBlock > head.number + 1) {
    throw new FatalError(
      `START_BLOCK is ${startBlock}, but chain ${chainId} has only ${head.number} blocks.`,
    );
  }
  const before = startBlock === 0 ? undefined : await blockAt(node, startBlock - 1);
  if (before !== undefined && (await hadCode(node, registry, before.number))) {
    throw new FatalError(
      `START_BLOCK is ${startBlock}, but the registry stood on the chain before: assets would be missed. ` +
        "Set it to the block of the deployment, or an earlier one.",
    );
  }
  await inTransaction(pool, async (tx) => {
    await createIndexPosition(tx, { chainId, registry, startBlock, headNumber: head.number });
    // The parent of the first block ties the index to its chain in a deep reorg.
    if (before !== undefined) await insertBlocks(tx, [before]);
    // A long backfill is faster without the deferred indexes; `createSync` builds them at its end.
    if (head.number - startBlock > limits.reorgDepth) await dropDeferredIndexes(tx);
  });
}

/** The block of a number, or the one before where the chain leaves it out. */
const blockAt = async (node: Node, number: number) =>
  (await node.header(number)) ?? (await lastBefore(node, number));

/** Whether the registry had code at that block; false where the node has pruned its state. */
async function hadCode(node: Node, registry: Address, block: number): Promise<boolean> {
  try {
    return (await node.codeAt(registry, block)) !== "0x";
  } catch {
    return false;
  }
}
