import type { Address, Hash } from "viem";
import type { Outcome } from "../client/rpc.ts";
import { mayDependOnCall, type NodeError } from "../errors/node-error.ts";
import { readBlockLogs } from "../logs/block-logs.ts";
import { rangeCall } from "../logs/log-calls.ts";
import type { Log } from "../logs/logs.ts";
import { readReceiptLogs } from "../logs/receipts.ts";
import type { Caller } from "./caller.ts";
import { type Header, headerCall } from "./header.ts";
import type { HeaderReader } from "./header-reader.ts";

/** Logs of a range with the header of its last block and the hash of the block before it. */
export type RangeAnswer = { last: Header | undefined; parent: Hash | undefined } & (
  | { logs: Log[]; rejected?: undefined }
  | { rejected: NodeError }
);

export function logCalls({ providers, ask, countFailure }: Caller, reader: HeaderReader) {
  return {
    logsInRange: (registry: Address, from: number, to: number) => ask(rangeCall(registry, from, to)),
    /** Like `logsInRange`, by another provider than the current one where there is one. */
    logsInRangeElsewhere: (registry: Address, from: number, to: number) => {
      const asked = rangeCall(registry, from, to);
      return providers.runElsewhere(async (rpc) => asked.read(await rpc.request(asked)));
    },
    /**
     * Logs of a range, the header of its last block and the hash of the block before it, all from one node. `rejected`
     * where the node answers the headers and not the logs, for any reason.
     */
    logsWithEnds: async (registry: Address, from: number, to: number): Promise<RangeAnswer> => {
      const range = rangeCall(registry, from, to);
      const ends = [headerCall(to), headerCall(Math.max(0, from - 1))];
      return providers.run(async (rpc) => {
        const [answer, ...headers] = (await rpc.outcomes([range, ...ends])) as [Outcome, Outcome, Outcome];
        const [last, parent] = await reader.headersOf(rpc, ends, headers);
        const found = { last, parent: parent?.hash };
        try {
          if ("error" in answer) throw answer.error;
          return { ...found, logs: range.read(answer.result) };
        } catch (error) {
          if (!mayDependOnCall(error)) throw error;
          countFailure(error.reason);
          return { ...found, rejected: error };
        }
      });
    },
    /** Logs of one block, by whichever method the node supports. */
    logsOfBlock: (registry: Address, block: Pick<Header, "number" | "hash" | "logsBloom">) =>
      providers.run((rpc) => readBlockLogs(rpc, registry, block, countFailure)),
    /** Logs of a block from its receipts, which nodes store apart from their index of logs. */
    logsOfReceipts: (
      registry: Address,
      block: Pick<Header, "number" | "hash"> & Partial<Pick<Header, "logsBloom">>,
    ): Promise<Log[]> => providers.run((rpc) => readReceiptLogs(rpc, registry, block, countFailure)),
  };
}
