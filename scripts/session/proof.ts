import { type Address, BaseError, createPublicClient, type Hex, http } from "viem";
import type { Asset } from "../../client/src/client.ts";
import { type AssetDetails, detailFields } from "../../domain/asset/asset.ts";
import { assetDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { codeMismatch } from "../../domain/registry/deployed-code.ts";
import { SessionError } from "./service.ts";

/**
 * The id as a hash over author, salt and every text: nobody can answer others under it.
 * @throws SessionError where it is another
 */
export function recomputeId(asset: Asset, registry: Registry): Hex {
  const { id, author, salt, name, customDefinitionItems } = asset;
  const texts = new Map([
    ["name", name],
    ...customDefinitionItems.map(({ key, value }) => [key, value] as const),
  ]);
  const details = Object.fromEntries(detailFields.map((field) => [field, texts.get(field) ?? ""]));
  const content = { author: author as Address, salt: salt as Hex, details: details as AssetDetails };
  const own = assetDigests(registry, content).id;
  if (own !== id) throw new SessionError(`The answered content is that of ${own}, not of ${id}.`);
  return own;
}

/**
 * Reads an asset from the chain itself, without the service.
 * @returns the timestamp of its block
 * @throws SessionError where the chain says something else than the service
 */
export async function readFromChain(asset: Asset, registry: Registry, rpcUrl: string): Promise<Date> {
  const { address } = registry;
  const { chainId, code, record } = await askNode(asset.id as Hex, address, rpcUrl);
  if (chainId !== registry.chainId) {
    throw new SessionError(`The node at RPC_URL is of chain ${chainId}, the service of ${registry.chainId}.`);
  }
  const mismatch = codeMismatch(code, address);
  if (mismatch !== undefined) throw new SessionError(`There is another contract at ${address}: ${mismatch}.`);
  if (record.author !== asset.author) {
    throw new SessionError(`On the chain ${asset.id} is of ${record.author}, not of ${asset.author}.`);
  }
  return new Date(record.createdOn * 1000);
}

async function askNode(id: Hex, address: Address, rpcUrl: string) {
  const node = createPublicClient({ transport: http(rpcUrl) });
  try {
    return {
      chainId: await node.getChainId(),
      code: (await node.getCode({ address })) ?? "0x",
      record: await node.readContract({ address, abi: registryAbi, functionName: "assetOf", args: [id] }),
    };
  } catch (error) {
    // The whole message would show the URL, which may hold a key.
    const problem = error instanceof BaseError ? error.shortMessage : String(error);
    throw new SessionError(`The chain's node at RPC_URL could not be asked: ${problem}`);
  }
}
