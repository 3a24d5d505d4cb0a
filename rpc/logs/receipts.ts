import { type Address, type Hash, numberToHex } from "viem";
import { z } from "zod";
import { callByHash } from "../calls/call-by-hash.ts";
import { readAll } from "../calls/caller.ts";
import type { Header } from "../calls/header.ts";
import { hash } from "../calls/quantities.ts";
import { rpcCall } from "../calls/rpc-call.ts";
import type { Rpc } from "../client/rpc.ts";
import { isRejectedCall, NodeAnswerError, type NodeError } from "../errors/node-error.ts";
import { readLogs } from "./log-calls.ts";
import type { Log } from "./logs.ts";

type Block = Pick<Header, "number" | "hash"> & Partial<Pick<Header, "logsBloom">>;
type CountFailure = (reason: NodeError["reason"]) => void;

/** Logs of the registry in a block, from the receipts of its transactions. */
export async function readReceiptLogs(
  rpc: Rpc,
  registry: Address,
  block: Block,
  countFailure: CountFailure,
): Promise<Log[]> {
  const held = await readReceipts(rpc, block, countFailure);
  // A node without the block may answer an empty list, which contradicts a filter with a bit set, unless all are set, as
  // on chains that keep none.
  if (held.length === 0 && block.logsBloom !== undefined && !/^0x(0*|f*)$/i.test(block.logsBloom)) {
    const problem = "they hold no log, though the block's bloom filter says that there are some";
    throw new NodeAnswerError("receipts", [block.hash], problem, "missing_logs");
  }
  const logs = readLogs("receipts", [block.hash], registry, held);
  if (logs.every((log) => log.blockHash === block.hash)) return logs;
  throw new NodeAnswerError("receipts", [block.hash], "a log names another block");
}

const receiptLogs = z
  .array(z.object({ blockHash: hash.nullish(), logs: z.array(z.unknown()).nullish() }))
  .transform((receipts) => ({
    blocks: new Set(receipts.flatMap(({ blockHash }) => blockHash ?? [])),
    logs: receipts.flatMap(({ logs }) => logs ?? []),
  }));
const logsOfTransaction = z
  .object({ transactionHash: hash, logs: z.array(z.unknown()).nullish() })
  .transform(({ transactionHash, logs }) => ({ hash: transactionHash, logs: logs ?? [] }));
const listedBlock = z.object({ hash, transactions: z.array(hash) }).nullable();

/**
 * Every log of a block from its receipts: by hash, by number, or by transaction, which every node supports.
 */
async function readReceipts(rpc: Rpc, block: Block, countFailure: CountFailure): Promise<unknown[]> {
  let rejected = false;
  if (!rpc.abilities.isMissing("receipts of a block")) {
    for (const place of [block.hash, numberToHex(block.number)]) {
      const together = rpcCall("eth_getBlockReceipts", [place], receiptLogs.nullable());
      try {
        const found = together.read(await rpc.request(together));
        if (found !== null && isOf(found.blocks, block.hash, place)) return found.logs;
      } catch (error) {
        if (!isRejectedCall(error)) throw error;
        countFailure(error.reason);
        rejected = true;
      }
    }
  }
  const transactions = await listTransactions(rpc, block, countFailure);
  if (transactions.length === 0) return [];
  const logs = await readEachReceipt(rpc, transactions);
  if (rejected) rpc.abilities.recordMissing("receipts of a block");
  return logs;
}

async function readEachReceipt(rpc: Rpc, transactions: readonly Hash[]): Promise<unknown[]> {
  const calls = transactions.map((of) => callByHash("eth_getTransactionReceipt", [of], logsOfTransaction));
  const receipts = await readAll(rpc, calls);
  return receipts.flatMap((receipt, index) => {
    if (receipt !== undefined) return receipt.logs;
    throw new NodeAnswerError("eth_getTransactionReceipt", [transactions[index]], "there is none");
  });
}

/** Checks the block of receipts, which by number may be another one; an empty list names none. */
const isOf = (blocks: ReadonlySet<Hash>, block: Hash, place: string) =>
  place === block ? blocks.size === 0 || blocks.has(block) : blocks.size === 1 && blocks.has(block);

async function listTransactions(rpc: Rpc, block: Block, countFailure: CountFailure): Promise<Hash[]> {
  const asked = [
    rpcCall("eth_getBlockByHash", [block.hash, false], listedBlock),
    rpcCall("eth_getBlockByNumber", [numberToHex(block.number), false], listedBlock),
  ];
  let failure: unknown;
  for (const one of asked) {
    try {
      const listed = one.read(await rpc.request(one));
      if (listed?.hash === block.hash) return listed.transactions;
    } catch (error) {
      if (!isRejectedCall(error)) throw error;
      countFailure(error.reason);
      failure ??= error;
    }
  }
  throw (
    failure ?? new NodeAnswerError("eth_getBlockByHash", [block.hash], "the block is gone", "missing_block")
  );
}
