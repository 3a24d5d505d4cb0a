import {
  BaseError,
  type DecodeErrorResultReturnType,
  decodeErrorResult,
  ExecutionRevertedError,
  type Hex,
  InsufficientFundsError,
  IntrinsicGasTooHighError,
  IntrinsicGasTooLowError,
  isHex,
} from "viem";
import { detailFields } from "../../domain/asset/asset.ts";
import { registryAbi } from "../../domain/registry/abi.ts";

type RegistryError = DecodeErrorResultReturnType<typeof registryAbi>;

/** How nodes say that the machine of the chain gave up. */
const MACHINE_FAILURE = /out ?of ?gas|invalid ?(fe ?)?opcode|invalid ?jump|stack ?(under|over)flow/i;

/**
 * Whether the node answered that the call itself fails, which is an answer. Everything else that a node
 * may say (internal error, missing state, too many requests, unknown method) is an outage.
 */
export function isExecutionFailure(error: unknown): error is BaseError {
  if (!(error instanceof BaseError)) return false;
  const isFailure = (cause: unknown) =>
    cause instanceof ExecutionRevertedError ||
    cause instanceof InsufficientFundsError ||
    isGasFailure(cause) ||
    errorBytes(cause) !== undefined;
  return error.walk(isFailure) !== null;
}

/** Why the call would fail, in words for the person who is about to sign it; never in those of the node. */
export function revertInWords(error: BaseError): string {
  const data = revertData(error);
  if (data !== undefined) return `The registry would refuse this call: ${dataInWords(data)}.`;
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null) {
    return "This call would fail: the account cannot pay its gas.";
  }
  if (error.walk(isGasFailure) !== null) return "This call would fail: it runs out of gas.";
  return "This call would fail, and the chain gives no reason.";
}

function isGasFailure(cause: unknown): boolean {
  return (
    cause instanceof IntrinsicGasTooHighError ||
    cause instanceof IntrinsicGasTooLowError ||
    (cause instanceof BaseError && MACHINE_FAILURE.test(cause.details ?? ""))
  );
}

function revertData(error: BaseError): Hex | undefined {
  let found: Hex | undefined;
  error.walk((cause) => {
    found = errorBytes(cause);
    return found !== undefined;
  });
  return found;
}

/** The bytes of an error in Solidity: at least those that name it. */
function errorBytes(cause: unknown): Hex | undefined {
  if (typeof cause !== "object" || cause === null || !("data" in cause)) return undefined;
  return isHex(cause.data) && cause.data.length >= 10 ? cause.data : undefined;
}

function dataInWords(data: Hex): string {
  try {
    return words(decodeErrorResult({ abi: registryAbi, data }));
  } catch {
    return `it answers the error ${data.slice(0, 10)}`;
  }
}

function words(error: RegistryError): string {
  switch (error.errorName) {
    case "AssetExists":
      return `the asset ${error.args[0]} is on the chain already`;
    case "AssetNameEmpty":
      return "the name is empty";
    case "AssetTextTooLong": {
      const [place, length, maximum] = error.args;
      return `${detailFields[place] ?? "a text"} has ${length} bytes, and may have ${maximum}`;
    }
    case "AssetUnknown":
      return `the asset ${error.args[0]} is not on the chain`;
    case "LinkStands":
      return `the link ${error.args[0]} → ${error.args[1]} stands already`;
    case "LinkDoesNotStand":
      return `the link ${error.args[0]} → ${error.args[1]} does not stand`;
    case "LinkToSelf":
      return `the asset ${error.args[0]} cannot be linked to itself`;
    case "NoChildren":
      return "it names no asset to link";
    case "NotAuthor":
      return `the author of ${error.args[0]} is ${error.args[1]}, not ${error.args[2]}`;
    default:
      return error.errorName;
  }
}
