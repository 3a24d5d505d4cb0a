import type { Address, Hash } from "viem";
import type { Outcome } from "../client/rpc.ts";
import { mayBeTheQuestion, type NodeError } from "../errors/node-error.ts";
import { readBlockLogs } from "../logs/block-logs.ts";
import { rangeQuestion } from "../logs/log-calls.ts";
import type { Log } from "../logs/logs.ts";
import { readReceiptLogs } from "../logs/receipts.ts";
import type { Caller } from "./caller.ts";
import { type Header, headerQuestion } from "./header.ts";
import type { HeaderReader } from "./header-reader.ts";

/** Logs of a range with the header of its last block and the hash of the block before it. */
export type RangeAnswer = { last: Header | undefined; parent: Hash | undefined } & (
  | { logs: Log[]; refused?: undefined }
  | { refused: NodeError }
);

export function logCalls({ providers, ask, note }: Caller, reader: HeaderReader) {
  return {
    logsInRange: (registry: Address, from: number, to: number) => ask(rangeQuestion(registry, from, to)),
    /** As `logsInRange`, by another provider than the one in use where there is one. */
    logsInRangeElsewhere: (registry: Address, from: number, to: number) => {
      const asked = rangeQuestion(registry, from, to);
      return providers.runElsewhere(async (rpc) => asked.read(await rpc.request(asked)));
    },
    /**
     * Logs of a range, the header of its last block and the hash of the block before it, all from one node: it
     * has these blocks, or says so. `refused` where it gives these headers and not these logs, for whatever reason.
     */
    logsWithEnds: async (registry: Address, from: number, to: number): Promise<RangeAnswer> => {
      const range = rangeQuestion(registry, from, to);
      const ends = [headerQuestion(to), headerQuestion(Math.max(0, from - 1))];
      return providers.run(async (rpc) => {
        const [answer, ...headers] = (await rpc.outcomes([range, ...ends])) as [Outcome, Outcome, Outcome];
        const [last, parent] = await reader.headersOf(rpc, ends, headers);
        const found = { last, parent: parent?.hash };
        try {
          if ("error" in answer) throw answer.error;
          return { ...found, logs: range.read(answer.result) };
        } catch (error) {
          if (!mayBeTheQuestion(error)) throw error;
          note(error.reason);
          return { ...found, refused: error };
        }
      });
    },
    /** Logs of one block, in whatever way the node tells them. */
    logsOfBlock: (registry: Address, block: Pick<Header, "number" | "hash" | "logsBloom">) =>
      providers.run((rpc) => readBlockLogs(rpc, registry, block, note)),
    /** Logs of a block from the receipts of its transactions, which nodes keep apart from their index of logs. */
    logsOfReceipts: (
      registry: Address,
      block: Pick<Header, "number" | "hash"> & Partial<Pick<Header, "logsBloom">>,
    ): Promise<Log[]> => providers.run((rpc) => readReceiptLogs(rpc, registry, block, note)),
  };
}
