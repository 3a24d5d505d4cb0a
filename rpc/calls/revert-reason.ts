import type { Hash } from "viem";
import type { KnownReason } from "../../domain/request/state.ts";
import { revertNameOf } from "../errors/execution-failure.ts";
import type { Receipt, transactionCalls } from "./transactions.ts";

type Node = Pick<ReturnType<typeof transactionCalls>, "transaction" | "replay">;

/**
 * Why a transaction reverted: the registry's error in capitals (`NotAuthor` → `NOT_AUTHOR`), found by executing it again
 * on the state before its block, or after it where another transaction of the block was the cause; or OUT_OF_GAS where
 * it used its whole gas limit.
 */
export async function revertReason(node: Node, hash: Hash, receipt: Receipt): Promise<string> {
  const unknown: KnownReason = "REVERTED";
  const sent = await node.transaction(hash);
  if (sent === undefined) return unknown;
  const outOfGas: KnownReason = "OUT_OF_GAS";
  if (receipt.gasUsed === sent.gas) return outOfGas;
  for (const block of [receipt.blockNumber - 1, receipt.blockNumber]) {
    try {
      await node.replay(sent, block);
    } catch (error) {
      return revertNameOf(error) ?? unknown;
    }
  }
  return unknown;
}
