import { type BaseError, type DecodeErrorResultReturnType, decodeErrorResult, type Hex, isHex } from "viem";
import { registryAbi } from "../domain/registry-abi.ts";

type RegistryError = DecodeErrorResultReturnType<typeof registryAbi>;

/** Why the registry would refuse a call, in words for the person who is about to sign it. */
export function revertInWords(error: BaseError): string {
  const data = revertData(error);
  if (data === undefined) return `The node expects this call to fail: ${error.details || error.shortMessage}`;
  try {
    return `The registry would refuse this call: ${words(decodeErrorResult({ abi: registryAbi, data }))}.`;
  } catch {
    return `The registry would refuse this call with the error ${data}.`;
  }
}

function revertData(error: BaseError): Hex | undefined {
  let found: Hex | undefined;
  error.walk((cause) => {
    if (typeof cause === "object" && cause !== null && "data" in cause && isHex(cause.data))
      found = cause.data;
    return found !== undefined;
  });
  return found === "0x" ? undefined : found;
}

function words(error: RegistryError): string {
  switch (error.errorName) {
    case "AssetExists":
      return `the asset ${error.args[0]} is on the chain already`;
    case "AssetNameEmpty":
      return "the name is empty";
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
