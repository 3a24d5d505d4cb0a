import type { BlockHeader } from "../db/blocks.ts";
import type { Cursor } from "../db/cursor.ts";
import type { Registry } from "../domain/typed-data.ts";
import { type Decoded, decodeLogs } from "./decode.ts";
import { ChainMovedError, NodeError } from "./errors.ts";
import type { Header, Log, Node } from "./node.ts";
import { readRangeLogs } from "./range.ts";
import { createRangeSize } from "./range-size.ts";

/** Consecutive blocks with what they bring; headers of the blocks worth storing, the last one always. */
export type Read = { blocks: [...Header[], Header]; decoded: Decoded; logs: number };

type Range = { from: number; to: number; read: Promise<Read> };

/** Ranges that are asked for while an earlier one is written. Each holds some ten megabytes. */
const rangesAhead = 3;

/**
 * Reads old blocks in ranges of one `eth_getLogs` each, some ranges ahead of what is being written: the node,
 * this process and the database work at the same time. What is read is handed out in the order of the chain.
 */
export function createBackfill(node: Node) {
  const size = createRangeSize();
  let ahead: Range[] = [];

  /** Keeps `rangesAhead` reads under way, of blocks after `last` and after those being read. */
  function readAhead(registry: Registry, last: number, until: number): void {
    let from = (ahead.at(-1)?.to ?? last) + 1;
    while (ahead.length < rangesAhead && from <= until) {
      const to = Math.min(until, from + size.now() - 1);
      const blocks = to - from + 1;
      const onTooLarge = () => size.failed(blocks);
      const read = readRange(node, registry, { from, to, onTooLarge });
      // A failure shows when its turn comes; until then nobody listens.
      read.catch(() => undefined);
      ahead.push({ from, to, read });
      from = to + 1;
    }
  }

  return {
    /**
     * What the next range up to `until` brings.
     * @returns undefined where it does not continue the index: a reorg
     */
    read: async (cursor: Cursor, until: number): Promise<Read | undefined> => {
      const registry = { chainId: cursor.chainId, address: cursor.registry };
      const from = cursor.blockNumber + 1;
      // The cursor is elsewhere after a failed write, a reorg or another indexer's turn.
      if (ahead[0]?.from !== from) ahead = [];
      readAhead(registry, cursor.blockNumber, until);
      const range = ahead.shift() as Range;
      readAhead(registry, range.to, until);
      try {
        const read = await range.read;
        size.succeeded(range.to - range.from + 1, read.logs);
        const [first] = read.blocks;
        const follows =
          first.number !== from || cursor.blockHash === undefined || first.parentHash === cursor.blockHash;
        return follows ? read : undefined;
      } catch (error) {
        ahead = [];
        if (error instanceof NodeError && error.reason === "timeout") size.failed(range.to - range.from + 1);
        throw error;
      }
    },
  };
}

async function readRange(
  node: Node,
  registry: Registry,
  { from, to, onTooLarge }: { from: number; to: number; onTooLarge: () => void },
): Promise<Read> {
  const { logs, last } = await readRangeLogs(node, registry.address, from, to, onTooLarge);
  const numbers = new Set(logs.map(({ blockNumber }) => blockNumber));
  numbers.delete(to);
  const blocks: [...Header[], Header] = [...(await readHeaders(node, [...numbers])), last];
  tieToBlocks(logs, blocks);
  return { blocks, decoded: decodeLogs(registry, logs), logs: logs.length };
}

async function readHeaders(node: Node, numbers: readonly number[]): Promise<Header[]> {
  const found = await node.headers(numbers);
  return found.map((header, index) => {
    if (header !== undefined) return header;
    throw new ChainMovedError(`The node has no block ${numbers[index]} at the moment`);
  });
}

/** A log counts only in the block that the chain has at its height, and neighbours must be parent and child. */
function tieToBlocks(logs: readonly Log[], blocks: readonly BlockHeader[]): void {
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const stray = logs.find(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash);
  if (stray) throw new ChainMovedError(`A log names another block ${stray.blockNumber} than the chain has`);
  const broken = blocks.find(
    ({ number, parentHash }) => (hashes.get(number - 1) ?? parentHash) !== parentHash,
  );
  if (broken) throw new ChainMovedError(`Block ${broken.number} does not follow the one before it`);
}
