import type { JsonRpcProvider } from "ethers";
import type { Hash, Hex } from "viem";
import { FACTORY } from "./create2.ts";

/**
 * The transaction that created a contract through the factory, found on the chain itself: the first block with code
 * at the address, and in it the call of the factory. Undefined where the node keeps no old states, or another
 * contract called the factory; then no block can be proved to be the first.
 */
export async function findCreation(
  provider: JsonRpcProvider,
  address: string,
  call: Hex,
): Promise<{ blockNumber: number; transactionHash: Hash } | undefined> {
  const blockNumber = await firstBlockWithCode(provider, address);
  const block = await provider.getBlock(blockNumber, true);
  const creation = block?.prefetchedTransactions.find(({ to, data }) => to === FACTORY && data === call);
  return creation && { blockNumber, transactionHash: creation.hash as Hash };
}

/** Binary search, some 25 calls for a chain of years. A pruned state counts as one without code. */
async function firstBlockWithCode(provider: JsonRpcProvider, address: string): Promise<number> {
  let [without, withCode] = [-1, await provider.getBlockNumber()];
  while (withCode - without > 1) {
    const middle = Math.floor((without + withCode) / 2);
    const code = await provider.getCode(address, middle).catch(() => "0x");
    if (code === "0x") without = middle;
    else withCode = middle;
  }
  return withCode;
}
