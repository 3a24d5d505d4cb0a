import { type Address, createPublicClient, http } from "viem";

import { StartError } from "./plan.ts";

/** `deployedAt`: the block that the index can begin with; unknown where the registry was given. */
export type Registry = { address: Address; chainId: number; deployedAt?: number };

export async function chainIdOf(rpcUrl: string): Promise<number> {
  try {
    return await createPublicClient({
      transport: http(rpcUrl, { retryCount: 2, timeout: 5_000 }),
    }).getChainId();
  } catch {
    throw new StartError(`The chain's node at ${new URL(rpcUrl).host} does not answer. Check RPC_URL.`);
  }
}
