import type { Address } from "viem";
import type { Header } from "../calls/header.ts";
import type { Rpc } from "../client/rpc.ts";
import { ChainMovedError } from "../errors/chain-errors.ts";
import { isRejectedCall, NodeError } from "../errors/node-error.ts";
import { mayHoldLogsOf } from "./bloom.ts";
import { blockCall, rangeCall } from "./log-calls.ts";
import type { Log } from "./logs.ts";
import { readReceiptLogs } from "./receipts.ts";

type Block = Pick<Header, "number" | "hash" | "logsBloom">;
type CountFailure = (reason: NodeError["reason"]) => void;

/** `fromReceipts` where the node answers nothing but receipts. */
export type BlockLogs = { logs: Log[]; fromReceipts: boolean };

/**
 * Logs of one block: by its hash; where the node rejects that, by its number, with each log's block hash checked; else
 * from the receipts.
 * @throws NodeError with the reason `incapable` where every method fails
 */
export async function readBlockLogs(
  rpc: Rpc,
  registry: Address,
  block: Block,
  countFailure: CountFailure,
): Promise<BlockLogs> {
  let rejection: NodeError | undefined;
  const rejected = (error: unknown): void => {
    if (!isRejectedCall(error)) throw error;
    countFailure(error.reason);
    rejection ??= error;
  };

  if (!rpc.abilities.isMissing("logs by block hash")) {
    try {
      const byHash = blockCall(registry, block.hash);
      return { logs: byHash.read(await rpc.request(byHash)), fromReceipts: false };
    } catch (error) {
      rejected(error);
    }
  }
  try {
    const logs = await readByNumber(rpc, registry, block);
    if (rejection !== undefined && rejection.reason !== "too_much")
      rpc.abilities.recordMissing("logs by block hash");
    // An empty list can be checked against the block's bloom filter only.
    if (logs.length > 0 || isWithout(registry, block)) return { logs, fromReceipts: false };
  } catch (error) {
    rejected(error);
  }
  try {
    return { logs: await readReceiptLogs(rpc, registry, block, countFailure), fromReceipts: true };
  } catch (error) {
    if (!isRejectedCall(error)) throw error;
    const { message } = rejection ?? error;
    throw new NodeError(
      "incapable",
      `The node gives neither the logs of block ${block.number} nor its receipts: ${message}` +
        (rejection === undefined ? "" : `; and: ${error.message}`),
    );
  }
}

async function readByNumber(rpc: Rpc, registry: Address, block: Block): Promise<Log[]> {
  const asked = rangeCall(registry, block.number, block.number);
  const logs = asked.read(await rpc.request(asked));
  if (logs.every(({ blockHash }) => blockHash === block.hash)) return logs;
  throw new ChainMovedError(`The node has another block ${block.number} by now`);
}

const isWithout = (registry: Address, { logsBloom }: Block): boolean =>
  logsBloom !== undefined && !mayHoldLogsOf(registry, logsBloom);
