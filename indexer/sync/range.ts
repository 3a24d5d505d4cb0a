import type { Address, Hash } from "viem";
import type { Header } from "../../rpc/calls/header.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import { isRejectedCall, NodeAnswerError, NodeError } from "../../rpc/errors/node-error.ts";
import { mayHoldLogsOf } from "../../rpc/logs/bloom.ts";
import type { Log } from "../../rpc/logs/logs.ts";
import type { Node } from "../../rpc/node.ts";

/** Logs of consecutive blocks, the header of the last one, and the hash of the block before the first. */
export type RangeLogs = { logs: Log[]; last: Header; parent: Hash };

/** Called for a rejected range, once smaller ones succeed. */
export type OnTooLarge = (blocks: number, rejection: NodeError) => void;

/** Some providers silently truncate an answer; none is known to cut below this number of logs. */
export const smallestCut = 100;
/** Most numbers in a row that a chain leaves out. */
export const longestGap = 128;

/**
 * Reads the registry's logs of old blocks, too many to check each one. Its answer counts as complete because:
 *
 * - the node that answers has the last block, whose header travels in the same batch: one that lags is rejected;
 * - an answer of `smallestCut` logs or more, which may be cut there, is asked for again from its last block on,
 *   and that block, where it alone holds so many, is compared with its receipts; a cut range is read in halves;
 * - where the last block's bloom filter names the registry and no log is there, its receipts decide;
 * - an empty answer is asked of a second provider, where RPC_URL names several.
 *
 * A range that is rejected for any reason, although the node answers headers, is read in halves, down to single blocks
 * and their receipts.
 *
 * Not detected: a node that has the blocks and omits logs in the middle of an answer. Only every block's header would
 * show that, at a multiple of the cost; `npm run index:verify` checks it. The newest blocks, which nodes most often get
 * wrong, are read one by one instead (`createTail`).
 *
 * Where the chain leaves out numbers, it may end at an earlier or a later block than was asked for.
 */
export async function readRangeLogs(
  node: Node,
  registry: Address,
  from: number,
  to: number,
  onTooLarge: OnTooLarge = () => undefined,
): Promise<RangeLogs> {
  const answer = await node.logsWithEnds(registry, from, to);
  const last = answer.last ?? (await lastBefore(node, to));
  if (last.number < from) {
    // None of these numbers has a block: the next one that has is read instead.
    const next = await node.firstHeaderFrom(to + 1, longestGap);
    if (next === undefined) throw missing(to);
    return readRangeLogs(node, registry, next.number, next.number, onTooLarge);
  }
  const parent = answer.parent ?? (await parentOf(node, from, last));
  if (answer.rejected !== undefined)
    return readHalves(node, registry, { from, last, parent }, answer.rejected, onTooLarge);
  const { logs } = answer;
  const rejection = await whyNotWhole(node, registry, { logs, from, last });
  if (rejection === undefined) return { logs, last, parent };
  return readHalves(node, registry, { from, last, parent }, rejection, onTooLarge);
}

async function readHalves(
  node: Node,
  registry: Address,
  { from, last, parent }: { from: number; last: Header; parent: Hash },
  rejection: NodeError,
  onTooLarge: OnTooLarge,
): Promise<RangeLogs> {
  const to = last.number;
  if (from === to) {
    // The same node would omit them again, so the receipts decide.
    const logs =
      rejection.reason === "missing_logs"
        ? await node.logsOfReceipts(registry, last)
        : await readBlock(node, registry, last);
    return { logs, last, parent };
  }
  const middle = Math.floor((from + to) / 2);
  const left = await readRangeLogs(node, registry, from, middle, onTooLarge);
  onTooLarge(to - from + 1, rejection);
  if (left.last.number >= to) return left;
  const right = await readRangeLogs(node, registry, Math.max(middle, left.last.number) + 1, to, onTooLarge);
  if (right.parent !== left.last.hash) {
    throw new ChainMovedError(`Block ${middle + 1} does not follow the one before it`);
  }
  return { logs: [...left.logs, ...right.logs], last: right.last, parent: left.parent };
}

async function readBlock(node: Node, registry: Address, block: Header): Promise<Log[]> {
  const { logs, fromReceipts } = await node.logsOfBlock(registry, block);
  const empty =
    logs.length === 0 && block.logsBloom !== undefined && mayHoldLogsOf(registry, block.logsBloom);
  if (fromReceipts || !(empty || logs.length >= smallestCut)) return logs;
  const held = await node.logsOfReceipts(registry, block);
  if (held.length < logs.length) expectSame(logs, held, block.number, block.number);
  return held;
}

const missing = (number: number) => new ChainMovedError(`The node has no block ${number} at the moment`);

/** The newest block before a number that has none, as the next block names it for its parent. */
export async function lastBefore(node: Node, number: number): Promise<Header> {
  const next = await node.firstHeaderFrom(number + 1, longestGap);
  const last = next && (await node.headerOf(next.parentHash));
  if (last === undefined || last.number >= number) throw missing(number);
  return last;
}

/** The hash of the block before a range, where the number before it has none. */
async function parentOf(node: Node, from: number, last: Header): Promise<Hash> {
  const first = await node.firstHeaderFrom(from, Math.min(longestGap, last.number - from + 1));
  const before = first && (await node.headerOf(first.parentHash));
  if (before === undefined || before.number >= from) throw missing(from - 1);
  return before.hash;
}

/** @returns why an answer counts as incomplete */
async function whyNotWhole(
  node: Node,
  registry: Address,
  answer: Pick<RangeLogs, "logs" | "last"> & { from: number },
): Promise<NodeError | undefined> {
  try {
    return await expectWhole(node, registry, answer);
  } catch (error) {
    if (!(error instanceof NodeError) || error.reason !== "missing_logs") throw error;
    node.blame(error);
    return error;
  }
}

/** @returns the rejection of a part of the range that was read again */
async function expectWhole(
  node: Node,
  registry: Address,
  { logs, from, last }: Pick<RangeLogs, "logs" | "last"> & { from: number },
): Promise<NodeError | undefined> {
  const newest = logs.at(-1)?.blockNumber;
  if (newest !== last.number && last.logsBloom !== undefined && mayHoldLogsOf(registry, last.logsBloom)) {
    expectSame([], await node.logsOfReceipts(registry, last), from, last.number);
  }
  if (newest === undefined) {
    if (node.severalProviders) {
      expectSame([], await node.logsInRangeElsewhere(registry, from, last.number), from, last.number);
    }
    return undefined;
  }
  if (logs.length < smallestCut) return undefined;
  const inNewest = logs.filter(({ blockNumber }) => blockNumber === newest);
  const full = inNewest.length >= smallestCut;
  if (full) {
    const [{ blockHash }] = inNewest as [Log, ...Log[]];
    const held = await node.logsOfReceipts(registry, { number: newest, hash: blockHash });
    expectSame(inNewest, held, newest, newest);
  }
  const next = full ? newest + 1 : newest;
  if (next > last.number) return undefined;
  const rest = await node.logsInRange(registry, next, last.number).catch((error: unknown) => {
    if (isRejectedCall(error)) return error;
    throw error;
  });
  if (!Array.isArray(rest)) return rest;
  expectSame(full ? [] : inNewest, rest, next, last.number);
  return undefined;
}

function expectSame(answered: readonly Log[], held: readonly Log[], from: number, to: number): void {
  if (answered.length === held.length) return;
  const problem = `it leaves out logs: ${answered.length} where there are ${held.length}`;
  throw new NodeAnswerError("eth_getLogs", [from, to], problem, "missing_logs");
}
