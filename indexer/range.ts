import type { Address, Hash } from "viem";
import { mayHoldLogsOf } from "./bloom.ts";
import { ChainMovedError, NodeAnswerError, NodeError } from "./errors.ts";
import type { Header, Log, Node } from "./node.ts";

/** Logs of consecutive blocks, the header of the last one, and the hash of the block before the first. */
export type RangeLogs = { logs: Log[]; last: Header; parent: Hash };

/** Some providers cut an answer at a number of logs without a word; none is known to cut below this. */
export const smallestCut = 100;

/**
 * Reads the registry's logs of old blocks, too many to look at each one. What it answers is held to be whole:
 *
 * - the node that answers has the last block, whose header travels in the same batch: one that lags is refused;
 * - an answer of `smallestCut` logs or more, which may be cut there, is asked for again from its last block on,
 *   and that block, where it alone holds so many, is compared with its receipts; a cut range is read in halves;
 * - where the last block's bloom filter names the registry and no log is there, its receipts decide;
 * - an empty answer is asked of a second provider, where RPC_URL names several.
 *
 * What it does not see: a node that has the blocks and leaves out logs in the middle of an answer. Nothing
 * but every block's header would show that, which is more than all the rest; `npm run index:verify` looks. The
 * newest blocks, which nodes most often get wrong, are read one by one instead (`createTail`).
 *
 * @param onTooLarge called for each range that had to be halved
 */
export async function readRangeLogs(
  node: Node,
  registry: Address,
  from: number,
  to: number,
  onTooLarge: () => void = () => undefined,
): Promise<RangeLogs> {
  try {
    const { logs, last, parent } = await node.logsWithEnds(registry, from, to);
    if (last === undefined) throw new ChainMovedError(`The node has no block ${to} at the moment`);
    if (parent === undefined) throw new ChainMovedError(`The node has no block ${from - 1} at the moment`);
    await expectWhole(node, registry, { logs, from, last });
    return { logs, last, parent };
  } catch (error) {
    if (!(error instanceof NodeError) || !isTooLarge(error)) throw error;
    if (error.reason === "missing_logs") node.blame(error);
    onTooLarge();
    if (from === to) return readByReceipts(node, registry, to);
    const middle = Math.floor((from + to) / 2);
    const left = await readRangeLogs(node, registry, from, middle, onTooLarge);
    const right = await readRangeLogs(node, registry, middle + 1, to, onTooLarge);
    if (right.parent !== left.last.hash) {
      throw new ChainMovedError(`Block ${middle + 1} does not follow the one before it`);
    }
    return { logs: [...left.logs, ...right.logs], last: right.last, parent: left.parent };
  }
}

/** Whether a smaller range may be answered where this one was not. */
export const isTooLarge = ({ reason }: NodeError): boolean =>
  reason === "too_much" || reason === "missing_logs";

async function expectWhole(
  node: Node,
  registry: Address,
  { logs, from, last }: Pick<RangeLogs, "logs" | "last"> & { from: number },
): Promise<void> {
  const newest = logs.at(-1)?.blockNumber;
  if (newest !== last.number && last.logsBloom !== undefined && mayHoldLogsOf(registry, last.logsBloom)) {
    expectSame([], await node.logsOfReceipts(registry, last), from, last.number);
  }
  if (newest === undefined) {
    if (node.severalProviders) {
      expectSame([], await node.logsInRangeElsewhere(registry, from, last.number), from, last.number);
    }
    return;
  }
  if (logs.length < smallestCut) return;
  const inNewest = logs.filter(({ blockNumber }) => blockNumber === newest);
  const full = inNewest.length >= smallestCut;
  if (full) {
    const [{ blockHash }] = inNewest as [Log, ...Log[]];
    const held = await node.logsOfReceipts(registry, { number: newest, hash: blockHash });
    expectSame(inNewest, held, newest, newest);
  }
  const next = full ? newest + 1 : newest;
  if (next > last.number) return;
  const rest = await node.logsInRange(registry, next, last.number);
  expectSame(full ? [] : inNewest, rest, next, last.number);
}

function expectSame(answered: readonly Log[], held: readonly Log[], from: number, to: number): void {
  if (answered.length === held.length) return;
  const problem = `it leaves out logs: ${answered.length} where there are ${held.length}`;
  throw new NodeAnswerError("eth_getLogs", [from, to], problem, "missing_logs");
}

/** One block's logs are too many for an answer, so its receipts have to do. */
async function readByReceipts(node: Node, registry: Address, number: number): Promise<RangeLogs> {
  const last = await node.header(number);
  if (last === undefined) throw new ChainMovedError(`The node has no block ${number} at the moment`);
  return { logs: await node.logsOfReceipts(registry, last), last, parent: last.parentHash };
}
