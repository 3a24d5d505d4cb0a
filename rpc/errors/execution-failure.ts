import { type DecodeErrorResultReturnType, decodeErrorResult, type Hex, isHex } from "viem";
import { registryAbi } from "../../domain/registry/abi.ts";
import { RpcError } from "./node-error.ts";

/** An error of the registry's contract, with its arguments. */
export type RegistryError = DecodeErrorResultReturnType<typeof registryAbi>;

const reverted = /execution reverted|gas required exceeds allowance/i;
const noFunds = /insufficient funds|exceeds transaction sender account balance/i;
const outOfGas =
  /out ?of ?gas|invalid ?(fe ?)?opcode|invalid ?jump|stack ?(under|over)flow|intrinsic gas too (low|high)|gas limit reached/i;

export type ExecutionFailure =
  | { kind: "registry"; error: RegistryError }
  /** Four-byte selector. */
  | { kind: "unknown error"; selector: Hex }
  | { kind: "insufficient funds" | "out of gas" | "no reason" };

/**
 * The revert in a node's error, which is an answer to the call.
 * @returns undefined for any other error (internal error, missing state, unknown method)
 */
export function executionFailure(error: unknown): ExecutionFailure | undefined {
  if (!(error instanceof RpcError) || error.reason !== "rpc_error") return undefined;
  const data = revertData(error.data);
  if (data !== undefined) {
    const decoded = decodeRegistryError(data);
    return decoded === undefined
      ? { kind: "unknown error", selector: data.slice(0, 10) as Hex }
      : { kind: "registry", error: decoded };
  }
  if (noFunds.test(error.said)) return { kind: "insufficient funds" };
  if (outOfGas.test(error.said)) return { kind: "out of gas" };
  return error.code === 3 || reverted.test(error.said) ? { kind: "no reason" } : undefined;
}

export function isExecutionFailure(error: unknown): error is RpcError {
  return executionFailure(error) !== undefined;
}

/** The registry's error in capitals (`NotAuthor` → `NOT_AUTHOR`), if an answer of the node contains one. */
export function revertNameOf(error: unknown): string | undefined {
  const failure = executionFailure(error);
  if (failure?.kind !== "registry") return undefined;
  return failure.error.errorName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();
}

/** Nodes put the bytes of an error in different places: `error.data` is the hex itself, or an object with it. */
function revertData(data: unknown): Hex | undefined {
  const inside = typeof data === "object" && data !== null && "data" in data ? data.data : data;
  return isHex(inside) && inside.length >= 10 ? inside : undefined;
}

function decodeRegistryError(data: Hex): RegistryError | undefined {
  try {
    return decodeErrorResult({ abi: registryAbi, data });
  } catch {
    return undefined;
  }
}
