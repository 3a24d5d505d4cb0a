import type { Address, Hash } from "viem";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import { NodeAnswerError } from "../../rpc/errors/node-error.ts";
import { mayHoldLogsOf } from "../../rpc/logs/bloom.ts";
import type { Log } from "../../rpc/logs/logs.ts";
import type { Node } from "../../rpc/node.ts";
import { longestGap, smallestCut } from "./range.ts";
import { type Read, readOf } from "./read-range.ts";

/** Blocks of one read, and bytes of log data above which fewer are read. */
const [blocksAtOnce, wishedBytes] = [16, 8 * 1024 * 1024];
/** Attempts with logs missing from `eth_getLogs` until the receipts alone count. */
const missesAllowed = 5;

/**
 * Reads the newest blocks one by one, where a node is most likely to lag or to switch forks. Each block is checked
 * against its parent, and its logs are read by its hash. Where the list is empty although the header's bloom filter
 * matches the registry, or so long that it may be cut, the receipts decide.
 */
export function createTail(node: Node) {
  const misses = new Map<Hash, number>();
  let atOnce = blocksAtOnce;

  async function readLogs(registry: Address, block: Header): Promise<Log[]> {
    const { logs, fromReceipts } = await node.logsOfBlock(registry, block);
    if (fromReceipts) return logs;
    const suspicious =
      logs.length >= smallestCut ||
      (logs.length === 0 && block.logsBloom !== undefined && mayHoldLogsOf(registry, block.logsBloom));
    if (!suspicious) return logs;
    const held = await node.logsOfReceipts(registry, block);
    // A bloom filter may have false positives.
    if (held.length === logs.length) return logs;
    return believeReceipts(block, logs, held);
  }

  /** Logs and receipts disagree: retried for a while, then the receipts count. */
  function believeReceipts(block: Header, logs: readonly Log[], held: Log[]): Log[] {
    const missed = (misses.get(block.hash) ?? 0) + 1;
    misses.set(block.hash, missed);
    const problem = `it lists ${logs.length} logs, but the receipts of block ${block.number} hold ${held.length}`;
    const error = new NodeAnswerError("eth_getLogs", [block.hash], problem, "missing_logs");
    node.blame(error);
    if (missed <= missesAllowed || held.length < logs.length) throw error;
    return held;
  }

  return {
    /** @returns undefined where the next block does not continue the index: a reorg */
    read: async (cursor: IndexPosition, headNumber: number): Promise<Read | undefined> => {
      const from = cursor.blockNumber + 1;
      const length = Math.min(headNumber - cursor.blockNumber, atOnce);
      const blocks = await readChain(node, from, length, headNumber);
      const [first] = blocks;
      if (cursor.blockHash !== undefined && first.parentHash !== cursor.blockHash) return undefined;
      const logs = (await Promise.all(blocks.map((block) => readLogs(cursor.registry, block)))).flat();
      misses.clear();
      const registry = { chainId: cursor.chainId, address: cursor.registry };
      const succeeded = new Set(logs.map(({ transactionHash }) => transactionHash));
      const read = await readOf(registry, { parent: first.parentHash, blocks, logs });
      const fitting = Math.max(1, Math.floor((blocks.length * wishedBytes) / Math.max(1, read.bytes)));
      atOnce = Math.min(blocksAtOnce, fitting, 2 * atOnce);
      return { ...read, succeeded };
    },
  };
}

/**
 * Headers of consecutive blocks, as far as the node has them. Some chains leave out numbers: the blocks around them are
 * parent and child. Where they do not match, the read is retried.
 */
async function readChain(
  node: Node,
  from: number,
  length: number,
  headNumber: number,
): Promise<[Header, ...Header[]] & [...Header[], Header]> {
  const blocks: Header[] = [];
  for (let start = from; blocks.length === 0 && start <= headNumber && start < from + longestGap; ) {
    const numbers = Array.from(
      { length: Math.min(length, headNumber - start + 1) },
      (_, index) => start + index,
    );
    for (const block of await node.headers(numbers)) {
      if (block === undefined) continue;
      const parent = blocks.at(-1);
      if (parent !== undefined && block.parentHash !== parent.hash) {
        throw new ChainMovedError(`Block ${block.number} does not follow the one before it`);
      }
      blocks.push(block);
    }
    start += numbers.length;
  }
  const [first, ...rest] = blocks;
  if (first === undefined) throw new ChainMovedError(`The node has no block ${from} at the moment`);
  return [first, ...rest] as [Header, ...Header[]] & [...Header[], Header];
}
