import { type Address, type Hash, type Hex, numberToHex } from "viem";
import type { Question } from "../calls/question.ts";
import { NodeAnswerError } from "../errors/node-error.ts";
import { ConflictingLogsError, type Log, LogFormError, parseLogs } from "./logs.ts";

/** Logs of the registry in a range of blocks. */
export function rangeQuestion(registry: Address, from: number, to: number): Question<Log[]> {
  const place = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  return logQuestion(registry, place, ({ blockNumber }) =>
    blockNumber < from || blockNumber > to ? `it holds a log of block ${blockNumber}` : undefined,
  );
}

/** Logs of the registry in one block of the chain that we follow. */
export function blockQuestion(registry: Address, blockHash: Hash): Question<Log[]> {
  return logQuestion(registry, { blockHash }, (log) =>
    log.blockHash === blockHash ? undefined : "it holds a log of another block",
  );
}

/** @param stray what is wrong with the place of a log */
function logQuestion(
  registry: Address,
  place: Record<string, Hex>,
  stray: (log: Log) => string | undefined,
): Question<Log[]> {
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
