import type { Address } from "viem";
import { insertBlocks } from "../db/blocks.ts";
import { createCursor, readCursor } from "../db/cursor.ts";
import { dropLateParts } from "../db/late-parts.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { codeMismatch } from "../domain/deployed-code.ts";
import { limits } from "../domain/limits.ts";
import { ChainMovedError, FatalError } from "./errors.ts";
import type { Node } from "./node.ts";

type Settings = { registry: Address; startBlock: number };

/**
 * Checks that node, registry and database belong together, and begins the index where there is none.
 * @throws FatalError naming the setting that is wrong
 */
export async function beginIndex(pool: Pool, node: Node, { registry, startBlock }: Settings): Promise<void> {
  const chainId = await node.chainId();
  const cursor = await readCursor(pool);
  if (cursor !== undefined && cursor.chainId !== chainId) {
    throw new FatalError(
      `RPC_URL serves chain ${chainId}, but the database indexes chain ${cursor.chainId}: ` +
        "use the right RPC_URL, or another DATABASE_URL for this chain.",
    );
  }
  if (cursor !== undefined && cursor.registry !== registry) {
    throw new FatalError(
      `REGISTRY_ADDRESS is ${registry}, but the database indexes ${cursor.registry}: ` +
        "use the right REGISTRY_ADDRESS, or another DATABASE_URL for this registry.",
    );
  }
  const head = await node.header("latest");
  if (head === undefined) throw new ChainMovedError("The node names no latest block");
  const code = await node.codeAt(registry, "latest");
  if (code === "0x") {
    // It was there when the index was begun: the node is behind, and no setting is wrong.
    if (cursor !== undefined) return;
    throw new FatalError(
      `REGISTRY_ADDRESS ${registry} holds no contract on chain ${chainId} (block ${head.number}): ` +
        "check the address, or deploy the registry with `npm run deploy`.",
    );
  }
  const mismatch = codeMismatch(code, registry);
  if (mismatch !== undefined) {
    throw new FatalError(
      `REGISTRY_ADDRESS ${registry} on chain ${chainId} holds another contract than the registry of this version: ` +
        `${mismatch}. Check the address, or run the version of the service that this registry was deployed with.`,
    );
  }
  if (cursor !== undefined) return;

  const before = startBlock === 0 ? undefined : await node.header(startBlock - 1);
  if (startBlock > 0 && before === undefined) {
    throw new FatalError(
      `START_BLOCK is ${startBlock}, but chain ${chainId} has only ${head.number} blocks.`,
    );
  }
  if (before !== undefined && (await hadCode(node, registry, before.number))) {
    throw new FatalError(
      `START_BLOCK is ${startBlock}, but the registry stood on the chain before: assets would be missed. ` +
        "Set it to the block of the deployment, or an earlier one.",
    );
  }
  await inTransaction(pool, async (tx) => {
    await createCursor(tx, { chainId, registry, startBlock, headNumber: head.number });
    // The block before the first one ties the index to its chain, should a reorg reach that far.
    if (before !== undefined) await insertBlocks(tx, [before]);
    // A long way to the head is faster without them; where it ends, `createSync` makes them.
    if (head.number - startBlock > limits.reorgDepth) await dropLateParts(tx);
  });
}

/** Nodes that keep no old states cannot say; then nothing is known against the setting. */
async function hadCode(node: Node, registry: Address, block: number): Promise<boolean> {
  try {
    return (await node.codeAt(registry, block)) !== "0x";
  } catch {
    return false;
  }
}
