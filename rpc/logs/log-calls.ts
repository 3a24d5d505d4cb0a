import { type Address, type Hash, type Hex, numberToHex } from "viem";
import type { RpcCall } from "../calls/rpc-call.ts";
import { NodeAnswerError } from "../errors/node-error.ts";
import { ConflictingLogsError, type Log, LogFormError, parseLogs } from "./logs.ts";

/** Logs of the registry in a range of blocks. */
export function rangeCall(registry: Address, from: number, to: number): RpcCall<Log[]> {
  const place = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  return logCall(registry, place, ({ blockNumber }) =>
    blockNumber < from || blockNumber > to ? `it holds a log of block ${blockNumber}` : undefined,
  );
}

/** Logs of the registry in one block. */
export function blockCall(registry: Address, blockHash: Hash): RpcCall<Log[]> {
  return logCall(registry, { blockHash }, (log) =>
    log.blockHash === blockHash ? undefined : "it holds a log of another block",
  );
}

/** @param stray the problem of a log's position */
function logCall(
  registry: Address,
  place: Record<string, Hex>,
  stray: (log: Log) => string | undefined,
): RpcCall<Log[]> {
  const params = [{ address: registry, ...place }];
  return {
    method: "eth_getLogs",
    params,
    read: (answer) => {
      const logs = readLogs("eth_getLogs", params, registry, answer);
      for (const log of logs) {
        const problem = stray(log);
        if (problem !== undefined) throw new NodeAnswerError("eth_getLogs", params, problem);
      }
      return logs;
    },
  };
}

export function readLogs(method: string, params: unknown, registry: Address, answer: unknown): Log[] {
  try {
    return parseLogs(answer, registry);
  } catch (error) {
    if (!(error instanceof LogFormError)) throw error;
    const reason = error instanceof ConflictingLogsError ? "conflicting_logs" : "bad_answer";
    throw new NodeAnswerError(method, params, error.message, reason);
  }
}
