import { randomBytes } from "node:crypto";
import { encodeFunctionData, type Hex, type LocalAccount, toHex } from "viem";
import type { AssetDetails, AssetId } from "../../../domain/asset/asset.ts";
import { assetDigests } from "../../../domain/asset/digests.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { owner } from "../chain/accounts.ts";
import type { Rig } from "../rigs/rig.ts";

const noTexts: AssetDetails = {
  ...{ name: "", data: "", fileName: "", fileType: "", fileSize: "", method: "", hash: "", uri: "" },
};

/** Calls in one transaction; 100 creations need some 9 million gas. */
const atOnce = 100;

/** Sends calls of the registry by one account, many in a transaction, and mines them. */
async function sendAll(rig: Rig, calls: readonly Hex[], account: LocalAccount): Promise<void> {
  for (let from = 0; from < calls.length; from += atOnce) {
    const data = encodeFunctionData({
      abi: registryAbi,
      functionName: "multicall",
      args: [calls.slice(from, from + atOnce)],
    });
    const hash = await rig.send((await rig.sign(data, { account, gas: 16_000_000n })).raw);
    await rig.mine();
    const { status } = await rig.chain.getTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`The transaction ${hash} was reverted.`);
  }
}

/** Registers assets on the chain without the service, in texts that the service may not take. */
export async function registerAll(
  rig: Rig,
  assets: readonly Partial<AssetDetails>[],
  account: LocalAccount = owner,
): Promise<AssetId[]> {
  const made = assets.map((texts) => ({ salt: toHex(randomBytes(32)), details: { ...noTexts, ...texts } }));
  const calls = made.map(({ salt, details }) =>
    encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [salt, details] }),
  );
  await sendAll(rig, calls, account);
  return made.map((asset) => assetDigests(rig.registry, { author: account.address, ...asset }).id);
}

/** Links a parent to its children, or revokes that. */
export async function changeLinks(
  rig: Rig,
  functionName: "link" | "revokeLinks",
  parent: AssetId,
  children: readonly AssetId[],
  account: LocalAccount = owner,
): Promise<void> {
  const calls: Hex[] = [];
  for (let from = 0; from < children.length; from += 50) {
    const args = [parent, children.slice(from, from + 50)] as const;
    calls.push(encodeFunctionData({ abi: registryAbi, functionName, args }));
  }
  for (const call of calls) await sendAll(rig, [call], account);
}
