import type { Hash, Hex } from "viem";
import { type Deployment, deployRegistry } from "../../../scripts/contracts/deploy-registry.ts";
import { deployerKey } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";

export type RegistryChain = {
  anvil: Anvil;
  deployment: Deployment;
  /** Gives the chain back, to be a new one for the next who asks. */
  release(): void;
};

type Used = { anvil: Anvil; deployment: Deployment; creation: Hex; genesis: Hex; blocks: number };

/** An anvil keeps the states of blocks that were reverted: where there are more than so many, it is not used again. */
const MAX_BLOCKS = 1_000;

/** Given back: to start a chain and to deploy on it takes twenty times as long as to revert one. */
const free: Used[] = [];

/**
 * A chain that mines each transaction as it comes, whose first block creates the registry.
 * @param unused no state of another chain is in its memory, and so in a dump of all its states
 */
export async function takeRegistryChain({ unused = false } = {}): Promise<RegistryChain> {
  const chain = (unused ? undefined : await renewed()) ?? (await deployed());
  let given = true;
  return {
    anvil: chain.anvil,
    deployment: chain.deployment,
    release() {
      if (given) free.push(chain);
      given = false;
    },
  };
}

async function deployed(): Promise<Used> {
  const anvil = await startAnvil();
  const genesis = await anvil.rpc<Hex>("evm_snapshot");
  const deployment = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
  const creation = await anvil.rpc<Hex>("eth_getRawTransactionByHash", [deployment.transactionHash]);
  return { anvil, deployment, creation, genesis, blocks: 0 };
}

async function renewed(): Promise<Used | undefined> {
  const chain = free.pop();
  if (chain === undefined) return undefined;
  const { anvil, creation } = chain;
  try {
    chain.blocks += Number(await anvil.rpc("eth_blockNumber"));
    if (chain.blocks > MAX_BLOCKS) throw new Error("It has become large");
    await anvil.rpc("anvil_dropAllTransactions");
    if (!(await anvil.rpc<boolean>("evm_revert", [chain.genesis]))) throw new Error("The snapshot is gone");
    // A snapshot serves once, and does not hold the clock and the base fee of the next block.
    chain.genesis = await anvil.rpc<Hex>("evm_snapshot");
    await anvil.rpc("anvil_setTime", [Math.floor(Date.now() / 1000)]);
    await anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x3b9aca00"]);
    await anvil.rpc("evm_setAutomine", [true]);
    await anvil.receipt(await anvil.rpc<Hash>("eth_sendRawTransaction", [creation]));
    return chain;
  } catch {
    // Or a test has ended it.
    await anvil.stop();
    return undefined;
  }
}
