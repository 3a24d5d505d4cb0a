import type { BlockHeader } from "../../db/chain/blocks.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { allowedRange } from "../../rpc/errors/allowed-range.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import { NodeError } from "../../rpc/errors/node-error.ts";
import type { Log } from "../../rpc/logs/logs.ts";
import type { Node } from "../../rpc/node.ts";
import { type OnTooLarge, readRangeLogs } from "./range.ts";
import { createRangeSize } from "./range-size.ts";
import { joinReads, type Read, readOf } from "./read-range.ts";

/** Old blocks to read, both ends included. */
type Range = { from: number; to: number };
type RangeUnderWay = Range & { read: Promise<Read>; done?: Read; failed?: boolean };

/** Ranges that are prefetched while earlier ones are written. Each takes some megabytes. */
const rangesAhead = 8;
/** Initial concurrency: a local node answers concurrent calls more slowly. */
const firstAtOnce = 2;
/** Logs of one transaction, up to one range more, so that the cost of a commit is small. */
const logsAtOnce = 6_000;
/** Bytes of log data of one transaction: a single log may have a quarter of a megabyte. */
const bytesAtOnce = 16 * 1024 * 1024;
const hasRoom = ({ logs, bytes }: Read): boolean => logs < logsAtOnce && bytes < bytesAtOnce;

/**
 * Reads old blocks in ranges of one `eth_getLogs` each, prefetching some ranges so that node, process and database work
 * in parallel. Ranges are returned in the order of the chain.
 */
export function createBackfill(node: Node) {
  const size = createRangeSize();
  let ahead: RangeUnderWay[] = [];
  /** Concurrency, which grows when a range has to be waited for: a remote node answers many as fast as one. */
  let atOnce = firstAtOnce;
  const inTurn = createSerialQueue();

  /** End of the returned ranges, by index position and by number: a chain may leave out numbers. */
  let handedOut = { block: -1, to: -1 };

  function begin(registry: Registry, from: number, to: number, more: () => void): RangeUnderWay {
    const onTooLarge: OnTooLarge = (blocks, { message }) =>
      size.failed(blocks, allowedRange(message, blocks));
    const read = readRange(node, registry, { from, to }, { onTooLarge, inTurn });
    const range: RangeUnderWay = { from, to, read };
    // A failure is thrown when the range's turn comes.
    read.then(
      (done) => {
        range.done = done;
        if (ahead.includes(range)) more();
      },
      () => {
        range.failed = true;
      },
    );
    return range;
  }

  /** Keeps `atOnce` reads running for blocks after `last`; failed ones are restarted. */
  function readAhead(registry: Registry, last: number, until: number): void {
    const kept = ahead.filter(({ failed }) => failed !== true);
    const underWay = () => [...ahead, ...kept].filter(({ done }) => done === undefined).length;
    const more = () => readAhead(registry, (ahead[0]?.from ?? last + 1) - 1, until);
    let from = last + 1;
    ahead = [];
    for (;;) {
      const next = kept.shift();
      const end = next === undefined ? until : next.from - 1;
      const hasRoom = () => ahead.length + kept.length < rangesAhead && underWay() < atOnce;
      // The first range is awaited next.
      while (from <= end && (ahead.length === 0 || hasRoom())) {
        const range = begin(registry, from, Math.min(end, from + size.now() - 1), more);
        ahead.push(range);
        from = range.to + 1;
      }
      if (next === undefined) return;
      ahead.push(next);
      from = next.to + 1;
    }
  }

  /** Removes the next range from the prefetched ones. */
  function take(): RangeUnderWay {
    return ahead.shift() as RangeUnderWay;
  }

  /** Notes a returned range. On a chain that leaves out numbers it may overlap those after it, which are read anew. */
  function noteRead({ to }: Range, read: Read): void {
    const block = (read.blocks.at(-1) as Header).number;
    if (block > to) ahead = [];
    handedOut = { block, to: Math.max(block, to) };
  }

  return {
    /**
     * Reads the next blocks up to `until`: one range, with those after it that have been prefetched.
     * @returns undefined where it does not continue the index: a reorg
     */
    read: async (cursor: IndexPosition, until: number): Promise<Read | undefined> => {
      const registry = { chainId: cursor.chainId, address: cursor.registry };
      // The index position is elsewhere after a failed write, a reorg or a change of the lease.
      if (cursor.blockNumber !== handedOut.block) {
        ahead = [];
        handedOut = { block: cursor.blockNumber, to: cursor.blockNumber };
      }
      // Left-out numbers at the end are read with the block after them.
      readAhead(registry, handedOut.to, Math.max(until, handedOut.to + 1));
      const range = take();
      if (range.done === undefined) atOnce = Math.min(rangesAhead, atOnce + 1);
      readAhead(registry, range.to, until);
      try {
        let read = await range.read;
        noteRead(range, read);
        size.succeeded(range.to - range.from + 1, read);
        for (let next = ahead[0]; next?.done && hasRoom(read); next = ahead[0]) {
          if (next.from !== handedOut.to + 1) break;
          take();
          size.succeeded(next.to - next.from + 1, next.done);
          read = joinReads(read, next.done);
          noteRead(next, next.done);
          readAhead(registry, handedOut.to, until);
        }
        return cursor.blockHash === undefined || read.parent === cursor.blockHash ? read : undefined;
      } catch (error) {
        // Prefetched ranges are kept while the node is away, but not after a reorg.
        if (!(error instanceof NodeError)) ahead = [];
        atOnce = firstAtOnce;
        handedOut = { block: cursor.blockNumber, to: range.from - 1 };
        throw error;
      }
    },
  };
}

/**
 * Reads and decodes a range of old blocks.
 * @param onTooLarge called for each range that had to be halved
 */
async function readRange(
  node: Node,
  registry: Registry,
  { from, to }: Range,
  { onTooLarge, inTurn }: { onTooLarge: OnTooLarge; inTurn: SerialQueue },
): Promise<Read> {
  const { logs, last, parent } = await readRangeLogs(node, registry.address, from, to, onTooLarge);
  const numbers = new Set(logs.map(({ blockNumber }) => blockNumber));
  numbers.delete(last.number);
  const blocks: [...Header[], Header] = [...(await readHeaders(node, [...numbers])), last];
  tieToBlocks(logs, blocks);
  // One after the other: interleaved decoding would block the event loop as long as one large piece.
  return await inTurn(() => readOf(registry, { parent, blocks, logs }));
}

type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
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
