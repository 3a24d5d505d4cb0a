import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Address, createPublicClient, http } from "viem";
import { z } from "zod";

import { parseAddress } from "../../domain/address.ts";
import { StartError } from "./plan.ts";

export type Registry = { address: Address; chainId: number; deployedAt?: number; isNew: boolean };

const remembered = z.record(z.string(), z.object({ registry: z.string(), blockNumber: z.number() }));
const fileOf = (dataDir: string) => join(dataDir, "registries.json");

export async function chainIdOf(rpcUrl: string): Promise<number> {
  try {
    return await createPublicClient({
      transport: http(rpcUrl, { retryCount: 2, timeout: 5_000 }),
    }).getChainId();
  } catch {
    throw new StartError(`The chain's node at ${new URL(rpcUrl).host} does not answer. Check RPC_URL.`);
  }
}

/** The registry that an earlier start deployed to this chain: deploying costs money, and the index belongs to it. */
export async function deployedBefore(dataDir: string, rpcUrl: string): Promise<Registry | undefined> {
  const chainId = await chainIdOf(rpcUrl);
  const entry = read(dataDir)[chainId];
  const address = parseAddress(entry?.registry ?? "");
  if (entry === undefined || typeof address !== "string") return undefined;
  const code = await createPublicClient({ transport: http(rpcUrl) }).getCode({ address });
  if (code === undefined) return undefined; // another chain of the same number
  return { address, chainId, deployedAt: entry.blockNumber, isNew: false };
}

export function rememberRegistry(dataDir: string, { address, chainId, deployedAt = 0 }: Registry): void {
  mkdirSync(dirname(fileOf(dataDir)), { recursive: true });
  const all = { ...read(dataDir), [chainId]: { registry: address, blockNumber: deployedAt } };
  writeFileSync(fileOf(dataDir), `${JSON.stringify(all, undefined, 2)}\n`);
}

function read(dataDir: string): z.infer<typeof remembered> {
  try {
    return remembered.parse(JSON.parse(readFileSync(fileOf(dataDir), "utf8")));
  } catch {
    return {}; // nothing was deployed from here yet
  }
}
