import { network } from "hardhat";
import { type Address, encodeFunctionData, type Hex } from "viem";
import type { AssetContent } from "../../../domain/asset/asset.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { compiledRegistry } from "../../../scripts/contracts/compiled-registry.ts";
import { creationCall, FACTORY, FACTORY_CODE, SALT } from "../../../scripts/deployment/create2.ts";
import { owner } from "../chain/accounts.ts";
import { takeRegistryChain } from "../chain/registry-chain.ts";
import { eventually } from "../eventually.ts";
import type { Rpc } from "./node-proof.ts";

/** A real chain with the registry at its usual address, which mines each transaction as it comes. */
export type ProofChain = { rpc: Rpc; chainId: number; release(): void | Promise<void> };

/** Chains whose nodes make proofs, by name. */
export const proofChains: Record<string, () => Promise<ProofChain>> = {
  async anvil() {
    const { anvil, release } = await takeRegistryChain();
    return { rpc: (method, params) => anvil.rpc(method, params), chainId: 31_337, release };
  },
  async Hardhat() {
    const { provider, close } = await network.create();
    const rpc: Rpc = (method, params) => provider.request({ method, params });
    await rpc("hardhat_setCode", [FACTORY, FACTORY_CODE]);
    const { bytecode } = await compiledRegistry();
    await send(rpc, { from: owner.address, to: FACTORY, data: creationCall(bytecode, SALT) });
    return { rpc, chainId: 31_337, release: close };
  },
};

type Call =
  | { functionName: "createAsset"; args: [Hex, AssetContent["details"]] }
  | { functionName: "cancelCreation"; args: [Hex, AssetContent["details"]] }
  | { functionName: "link" | "revokeLinks"; args: [Hex, Hex[]] };

/** Calls the registry from an account of the node, and waits until it is mined. */
export async function callRegistry(rpc: Rpc, registry: Address, from: Address, call: Call): Promise<void> {
  const data = encodeFunctionData({ abi: registryAbi, ...call } as never);
  await send(rpc, { from, to: registry, data });
}

/** Sends a transaction of an account of the node, and waits until it is mined. */
export async function send(rpc: Rpc, transaction: { from: Address; to: Address; data: Hex }): Promise<void> {
  const hash = await rpc("eth_sendTransaction", [{ ...transaction, gas: "0x4c4b40" }]);
  const receipt = (await eventually(
    `the receipt of ${hash}`,
    () => rpc("eth_getTransactionReceipt", [hash]),
    (found) => found !== null,
  )) as { status: Hex };
  if (receipt.status !== "0x1") throw new Error(`The transaction ${hash} was reverted`);
}
