import type { Address } from "viem";
import type { Cursor } from "../db/cursor.ts";
import { type Read, readHeaders } from "./backfill.ts";
import { mayHoldLogsOf } from "./bloom.ts";
import { decodeLogs } from "./decode.ts";
import { NodeAnswerError } from "./errors.ts";
import type { Header, Log, Node } from "./node.ts";

const blocksAtOnce = 16;

/**
 * Reads the next new blocks one by one, each tied to its parent and its logs to its hash.
 * @returns undefined where the next block does not continue the index: a reorg
 */
export async function readTail(node: Node, cursor: Cursor, headNumber: number): Promise<Read | undefined> {
  const from = cursor.blockNumber + 1;
  const length = Math.min(headNumber - cursor.blockNumber, blocksAtOnce);
  const numbers = Array.from({ length }, (_, index) => from + index);
  const blocks = await readHeaders(node, numbers);

  let parent = cursor.blockHash;
  for (const block of blocks) {
    if (parent !== undefined && block.parentHash !== parent) return undefined;
    parent = block.hash;
  }
  const logs = await Promise.all(blocks.map((block) => readLogs(node, cursor.registry, block)));
  const registry = { chainId: cursor.chainId, address: cursor.registry };
  return { blocks, decoded: decodeLogs(registry, logs.flat()), logs: logs.flat().length };
}

/** A lagging node answers "no logs" for a block that it does not have; the header's bloom filter gives it away. */
async function readLogs(node: Node, registry: Address, block: Header): Promise<Log[]> {
  const logs = await node.logsOfBlock(registry, block.hash);
  if (logs.length === 0 && block.logsBloom !== undefined && mayHoldLogsOf(registry, block.logsBloom)) {
    // By chance the filter may name a contract that logged nothing; the second answer decides.
    const again = await node.logsInRange(registry, block.number, block.number);
    if (again.length > 0) {
      throw new NodeAnswerError("eth_getLogs", [block.hash], "it is empty where the block has logs");
    }
  }
  return logs;
}
