import type { Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { Node } from "../../rpc/node.ts";

/**
 * How often, and over how many seconds, nodes must give the same answer before a request ends by it. The first answer
 * must be of a block that is final by then, so that one lagging node ends nothing.
 */
export type RequiredRepeats = { attempts: number; seconds: number };

export const usualRepeats: RequiredRepeats = { attempts: 3, seconds: 30 };

/**
 * The newest indexed block, if the node has it too; answers as of an older block do not count.
 */
export async function sharedBlock(pool: Pool, node: Node): Promise<number | undefined> {
  const cursor = await readIndexPosition(pool);
  if (cursor?.blockHash === undefined) return undefined;
  const block = await node.header(cursor.blockNumber);
  return block?.hash === cursor.blockHash ? cursor.blockNumber : undefined;
}
