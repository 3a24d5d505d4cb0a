import { decodeFunctionData } from "viem";
import type { z } from "zod";
import type { ListedRequest, Request } from "../../db/service/requests/request.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import type { callAnswer } from "./schema.ts";

/** The call decoded from the bytes that the wallet will sign. */
export function viewCall({ calldata }: Request): z.input<typeof callAnswer> {
  const call = decodeFunctionData({ abi: registryAbi, data: calldata });
  switch (call.functionName) {
    case "createAsset": {
      const [salt, details] = call.args;
      return { function: call.functionName, arguments: { salt, details } };
    }
    case "link":
    case "revokeLinks": {
      const [parent, children] = call.args;
      return { function: call.functionName, arguments: { parent, children } };
    }
    default:
      throw new Error(`The request calls ${call.functionName}, which changes nothing`);
  }
}

/** A plain description of the transaction's effect. */
export function summaryOf(
  request: Pick<ListedRequest, "author" | "assetId" | "registry" | "change">,
): string {
  const { author, assetId, registry, change } = request;
  const place = `in the registry ${registry.address} on chain ${registry.chainId}`;
  if (change.kind === "create") {
    return (
      `With this transaction ${author} registers the asset ${JSON.stringify(change.details.name)} ` +
      `(${assetId}) as its author, ${place}. Its texts become public and stay so.`
    );
  }
  const ids = change.targets.map(({ child }) => child).join(", ");
  const targets =
    change.targets.length === 1 ? `the asset ${ids}` : `${change.targets.length} assets: ${ids}`;
  return change.kind === "link"
    ? `With this transaction ${author}, the author of the asset ${assetId}, links it to ${targets}; ${place}.`
    : `With this transaction ${author}, the author of the asset ${assetId}, revokes its links to ${targets}; ${place}.`;
}
