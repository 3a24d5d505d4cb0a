import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Address, Hash } from "viem";
import { z } from "zod";
import { parseAddress } from "../../domain/address.ts";

/**
 * The one record of deployments: `deployments/<chainId>.json`, newest first, to be committed. It saves a search for
 * the block, which not every node can answer. It is a memory and no proof: who reads it compares it with the chain.
 */
export const DEPLOYMENTS = join(import.meta.dirname, "..", "..", "deployments");

export type Recorded = { registry: Address; blockNumber: number; transactionHash: Hash };

export type DeploymentRecord = {
  /** Nothing where there is no record, or one that cannot be read. */
  read(): Promise<Recorded[]>;
  /** Puts a deployment before the earlier ones of its chain; where that fails it is only said. */
  add(deployment: Recorded): Promise<void>;
};

const address = z.string().transform((text, context): Address => {
  const parsed = parseAddress(text);
  if (typeof parsed === "string") return parsed;
  context.addIssue(parsed.problem);
  return z.NEVER;
});
const hash = z.custom<Hash>((value) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value));
const deployments = z.array(
  z.strictObject({ registry: address, blockNumber: z.int().nonnegative(), transactionHash: hash }),
);

/** The record of one chain in a folder. */
export function deploymentRecord(
  folder: string,
  chainId: number,
  onProblem: (line: string) => void,
): DeploymentRecord {
  const file = join(folder, `${chainId}.json`);

  async function read(): Promise<Recorded[]> {
    try {
      return deployments.parse(JSON.parse(await readFile(file, "utf8")));
    } catch {
      return [];
    }
  }

  async function add({ registry, blockNumber, transactionHash }: Recorded): Promise<void> {
    try {
      const earlier = (await read()).filter((entry) => entry.registry !== registry);
      const all = [{ registry, blockNumber, transactionHash }, ...earlier];
      await mkdir(folder, { recursive: true });
      await writeFile(file, `${JSON.stringify(all, undefined, 2)}\n`);
    } catch (error) {
      onProblem(`the deployment could not be recorded: ${(error as Error).message}`);
    }
  }

  return { read, add };
}
