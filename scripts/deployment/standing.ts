import type { JsonRpcProvider } from "ethers";
import type { Address, Hash, Hex } from "viem";
import { codeMismatch } from "../../domain/registry/deployed-code.ts";
import { FACTORY } from "./create2.ts";
import { DeployError } from "./error.ts";
import { findCreation } from "./first-block.ts";
import type { DeploymentRecord } from "./record.ts";

export type Standing = { registry: Address; blockNumber: number; transactionHash: Hash | undefined };

type Place = {
  provider: JsonRpcProvider;
  chainId: number;
  /** The address that the registry has on every chain. */
  registry: Address;
  /** Calldata of the factory call. */
  call: Hex;
  record: DeploymentRecord | undefined;
  onProgress: (line: string) => void;
};

/**
 * The registry of this version that stands on the chain already.
 * @throws DeployError when something else stands at its address
 */
export async function standingRegistry(place: Place): Promise<Standing | undefined> {
  const { provider, chainId, registry, call, record, onProgress } = place;
  for (const entry of (await record?.read()) ?? []) {
    if (!(await agrees(provider, entry))) continue;
    onProgress(`the registry ${entry.registry} stands on this chain, as recorded: nothing is sent`);
    return entry;
  }
  const code = (await provider.getCode(registry)) as Hex;
  if (code === "0x") return undefined;
  const mismatch = codeMismatch(code, registry);
  if (mismatch !== undefined) {
    throw new DeployError(`Another contract stands at ${registry} on chain ${chainId}: ${mismatch}.`);
  }
  const creation = await findCreation(provider, registry, call);
  if (creation === undefined) {
    onProgress(
      `the registry ${registry} stands on this chain, and this node cannot prove since when: block 0 misses nothing`,
    );
    return { registry, blockNumber: 0, transactionHash: undefined };
  }
  onProgress(
    `the registry ${registry} stands on this chain since block ${creation.blockNumber}: nothing is sent`,
  );
  await record?.add({ registry, ...creation });
  return { registry, ...creation };
}

/** Whether the chain says what the record says: another chain may have the same number, another version its place. */
async function agrees(
  provider: JsonRpcProvider,
  { registry, blockNumber, transactionHash }: Standing & { transactionHash: Hash },
): Promise<boolean> {
  const receipt = await provider.getTransactionReceipt(transactionHash);
  if (receipt?.status !== 1 || receipt.blockNumber !== blockNumber) return false;
  if (receipt.to !== FACTORY && receipt.contractAddress !== registry) return false;
  return codeMismatch((await provider.getCode(registry)) as Hex, registry) === undefined;
}
