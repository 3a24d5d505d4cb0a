import type { BlockHeader } from "../db/blocks.ts";
import type { Cursor } from "../db/cursor.ts";
import type { Registry } from "../domain/typed-data.ts";
import { type Decoded, decodeLogs } from "./decode.ts";
import { ChainMovedError, NodeAnswerError } from "./errors.ts";
import type { Header, Log, Node } from "./node.ts";
import { createRangeSize } from "./range-size.ts";

/** Consecutive blocks with what they bring; headers of the blocks worth storing, the last one always. */
export type Read = { blocks: [...Header[], Header]; decoded: Decoded; logs: number };

type Range = { from: number; to: number; read: Promise<Read> };

/** Ranges that are asked for while an earlier one is written. Each holds a few megabytes. */
const rangesAhead = 3;

/**
 * Reads old blocks in ranges of one `eth_getLogs` each, some ranges ahead of what is being written: the node,
 * this process and the database work at the same time. What is read is handed out in the order of the chain.
 */
export function createBackfill(node: Node) {
  const size = createRangeSize();
  let ahead: Range[] = [];

  /** Keeps `rangesAhead` reads under way from block `from` on. */
  function readAhead(registry: Registry, from: number, until: number): void {
    let next = (ahead.at(-1)?.to ?? from - 1) + 1;
    while (ahead.length < rangesAhead && next <= until) {
      const to = Math.min(until, next + size.now() - 1);
      const read = readRange(node, registry, next, to);
      // A failure shows when its turn comes; until then nobody listens.
      read.catch(() => undefined);
      ahead.push({ from: next, to, read });
      next = to + 1;
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
      readAhead(registry, from, until);
      const range = ahead.shift() as Range;
      readAhead(registry, range.to + 1, until);
      try {
        const read = await range.read;
        size.succeeded(range.to - range.from + 1, read.logs);
        const [first] = read.blocks;
        const follows =
          first.number !== from || cursor.blockHash === undefined || first.parentHash === cursor.blockHash;
        return follows ? read : undefined;
      } catch (error) {
        ahead = [];
        size.failed(range.to - range.from + 1);
        throw error;
      }
    },
  };
}

async function readRange(node: Node, registry: Registry, from: number, to: number): Promise<Read> {
  const logs = await node.logsInRange(registry.address, from, to);
  const numbers = new Set(logs.map(({ blockNumber }) => blockNumber)).add(to);
  const [blocks] = await Promise.all([
    readHeaders(node, [...numbers]),
    expectWhole(node, registry, logs, to),
  ]);
  tieToBlocks(logs, blocks);
  return { blocks, decoded: decodeLogs(registry, logs), logs: logs.length };
}

const headersAtOnce = 50;

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

/** Some providers cut an answer at a number of logs without a word; none cuts below this. */
const smallestCut = 100;

/**
 * Asks again from the last block that an answer names: were it cut, then this answer, which begins later,
 * holds what is missing.
 */
async function expectWhole(node: Node, registry: Registry, logs: readonly Log[], to: number): Promise<void> {
  const last = logs.at(-1);
  if (last === undefined || logs.length < smallestCut) return;
  const rest = await node.logsInRange(registry.address, last.blockNumber, to);
  const known = logs.filter(({ blockNumber }) => blockNumber === last.blockNumber).length;
  if (rest.length === known) return;
  const problem = `it ends after ${logs.length} logs, but more follow in block ${last.blockNumber} or later`;
  throw new NodeAnswerError("eth_getLogs", [logs[0]?.blockNumber, to], problem);
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
