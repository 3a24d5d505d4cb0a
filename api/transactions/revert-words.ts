import { detailFields } from "../../domain/asset/asset.ts";
import type { ExecutionFailure, RegistryError } from "../../rpc/errors/execution-failure.ts";

/** Why the call would fail, as a message for the signer, never in the node's own words. */
export function revertInWords(failure: ExecutionFailure): string {
  switch (failure.kind) {
    case "registry":
      return `The registry would refuse this call: ${words(failure.error)}.`;
    case "unknown error":
      return `The registry would refuse this call: it answers the error ${failure.selector}.`;
    case "insufficient funds":
      return "This call would fail: the account cannot pay its gas.";
    case "out of gas":
      return "This call would fail: it runs out of gas.";
    case "no reason":
      return "This call would fail, and the chain gives no reason.";
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
