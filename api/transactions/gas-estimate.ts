import type { Address, Hex } from "viem";
import { gasLimitFor } from "../../domain/fees.ts";
import { executionFailure } from "../../rpc/errors/execution-failure.ts";
import type { Node } from "../../rpc/node.ts";
import { revertInWords } from "./revert-words.ts";

/** `needed` is the node's estimate, `gas` adds a margin. `gas` is null where the call would fail now; `warning` is the reason. */
export type GasEstimate =
  | { gas: bigint; needed: bigint; warning: null }
  | { gas: null; needed: null; warning: string };

type Call = { from: Address; to: Address; data: Hex };

/** @throws NodeError where the node can neither estimate the call nor say why it fails */
export async function estimateGas(chain: Pick<Node, "estimateGas">, call: Call): Promise<GasEstimate> {
  try {
    const needed = await chain.estimateGas(call);
    return { gas: gasLimitFor(needed), needed, warning: null };
  } catch (error) {
    const failure = executionFailure(error);
    if (failure === undefined) throw error;
    return { gas: null, needed: null, warning: revertInWords(failure) };
  }
}
