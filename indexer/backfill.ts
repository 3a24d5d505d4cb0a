import type { BlockHeader } from "../db/blocks.ts";
import type { Cursor } from "../db/cursor.ts";
import { ChainMovedError } from "./errors.ts";
import type { Header, Log, Node } from "./node.ts";

const largestRange = 5_000;
const smallestRange = 1;

/**
 * Reads old blocks in ranges of one `eth_getLogs` each. The size of a range adapts: a failure halves it, a
 * success lets it grow.
 */
export function createBackfill(node: Node) {
  let size = 1_000;

  return {
    /**
     * Logs of the next range up to `until`, with the headers of the blocks that they stand in and of the
     * last block.
     */
    read: async (cursor: Cursor, until: number): Promise<{ blocks: [...Header[], Header]; logs: Log[] }> => {
      const from = cursor.blockNumber + 1;
      const to = Math.min(until, from + size - 1);
      try {
        const logs = await node.logsInRange(cursor.registry, from, to);
        const numbers = new Set([...logs.map(({ blockNumber }) => blockNumber), to]);
        const blocks = await readHeaders(node, [...numbers]);
        tieToBlocks(logs, blocks);
        size = Math.min(largestRange, Math.ceil(size * 1.5));
        return { blocks, logs };
      } catch (error) {
        size = Math.max(smallestRange, Math.floor(size / 2));
        throw error;
      }
    },
  };
}

const headersAtOnce = 20;

/** Reads the headers of blocks, in their order. */
export async function readHeaders(node: Node, numbers: readonly number[]): Promise<[...Header[], Header]> {
  const headers: Header[] = [];
  for (let start = 0; start < numbers.length; start += headersAtOnce) {
    const some = numbers.slice(start, start + headersAtOnce);
    headers.push(...(await Promise.all(some.map((number) => requireHeader(node, number)))));
  }
  return headers as [...Header[], Header];
}

async function requireHeader(node: Node, number: number): Promise<Header> {
  const found = await node.header(number);
  if (found === undefined) throw new ChainMovedError(`The node has no block ${number} at the moment`);
  return found;
}

/** A log counts only in the block that the chain has at its height. */
function tieToBlocks(logs: readonly Log[], blocks: readonly BlockHeader[]): void {
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const stray = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash);
  if (stray) throw new ChainMovedError(`A log names another block ${stray.blockNumber} than the chain has`);
}
