import { decodeErrorResult, type Hash, type Hex, isHex } from "viem";
import { registryAbi } from "../domain/registry/abi.ts";
import type { KnownReason } from "../domain/request/state.ts";
import { RpcError } from "./errors.ts";
import type { Node, Receipt } from "./node.ts";

/**
 * Why a transaction reverted: the registry's own error in capitals (`NotAuthor` → `NOT_AUTHOR`), found by
 * executing it again on the block before its own, or on its own where another one in there was the cause, or
 * OUT_OF_GAS where it used up its whole gas limit.
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

/** The registry's error in capitals, where an answer of the node holds one. */
export function revertNameOf(error: unknown): string | undefined {
  const data = revertData(error);
  return data && errorName(data);
}

/** Nodes differ in where they put the data of a revert: `error.data` is the hex itself, or an object around it. */
function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const { data } = error;
  if (isHex(data)) return data;
  return typeof data === "object" && data !== null && "data" in data && isHex(data.data)
    ? data.data
    : undefined;
}

function errorName(data: Hex): string | undefined {
  try {
    const { errorName } = decodeErrorResult({ abi: registryAbi, data });
    return errorName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();
  } catch {
    // An error that the registry does not have: the caller falls back to a plain revert.
    return undefined;
  }
}
