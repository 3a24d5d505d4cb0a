import { encodeFunctionData, type Hex, numberToHex } from "viem";
import type { AssetContent } from "../../../domain/asset/asset.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { assetId } from "../../../test/support/asset-id.ts";
import { owner } from "../../../test/support/chain/accounts.ts";
import { document, seededRandom } from "../documents.ts";
import type { WholeService } from "../whole-service.ts";

/** Assets that one transaction registers. */
export const inOneCall = 100;

/** Registers so many assets, and links the first one to the next ones. */
export async function registerAssets({ anvil, registry }: WholeService, count: number, links: number) {
  const random = seededRandom(count);
  const made = Array.from({ length: count }, (_, at): AssetContent => {
    return { author: owner.address, salt: numberToHex(at, { size: 32 }), details: document(random) };
  });
  const send = async (data: Hex) => {
    const call = { from: owner.address, to: registry.address, data, gas: numberToHex(29_000_000) };
    const hash = await anvil.rpc<Hex>("eth_sendTransaction", [call]);
    await anvil.mine();
    if ((await anvil.receipt(hash)).status !== "0x1") throw new Error("A transaction failed");
  };
  for (let from = 0; from < count; from += inOneCall) {
    const calls = made
      .slice(from, from + inOneCall)
      .map(({ salt, details }) =>
        encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [salt, details] }),
      );
    await send(encodeFunctionData({ abi: registryAbi, functionName: "multicall", args: [calls] }));
  }
  const [first = "0x", ...children] = made.slice(0, 1 + links).map((asset) => assetId(registry, asset));
  await send(encodeFunctionData({ abi: registryAbi, functionName: "link", args: [first, children] }));
  await anvil.mine(10);
  return { first, children };
}
