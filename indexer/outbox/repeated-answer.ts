import type { Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { Node } from "../../rpc/node.ts";

/**
 * How often, and over how many seconds, a node must have said the same before it is believed that a request is
 * over. The first time must be at a block that is final by then: one node that is behind ends nothing.
 */
export type Patience = { looks: number; seconds: number };

export const usualPatience: Patience = { looks: 3, seconds: 30 };

/**
 * The block that the index stands on, where the node has it, too: what it says as of an older one counts for
 * nothing.
 */
export async function sharedBlock(pool: Pool, node: Node): Promise<number | undefined> {
  const cursor = await readIndexPosition(pool);
  if (cursor?.blockHash === undefined) return undefined;
  const block = await node.header(cursor.blockNumber);
  return block?.hash === cursor.blockHash ? cursor.blockNumber : undefined;
}
