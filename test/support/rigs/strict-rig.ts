import { randomBytes } from "node:crypto";
import { encodeFunctionData, type Hex, toHex } from "viem";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { owner } from "../chain/accounts.ts";
import {
  type Limits,
  type Rejections,
  type StrictProvider,
  startStrictProvider,
} from "../chain/strict-provider.ts";
import { eventually } from "../eventually.ts";
import { calldataOf, type RigOptions, sampleDetails, startRig } from "./rig.ts";

export type StrictRig = Awaited<ReturnType<typeof startStrictRig>>;

/** A rig whose indexer sees the chain through a provider with limits. */
export async function startStrictRig(
  limits: Limits = {},
  rejections: Rejections = {},
  options: Omit<RigOptions, "nodeUrls"> = {},
) {
  let made: StrictProvider | undefined;
  const rig = await startRig({
    ...options,
    nodeUrls: async (url) => {
      made = await startStrictProvider(url, limits, rejections);
      return [made.url];
    },
  });
  const provider = made as StrictProvider;

  /** Creations of the chain's own account, so many in one transaction. */
  async function createTogether(count: number): Promise<void> {
    const creations = Array.from({ length: count }, () =>
      calldataOf("0x", { kind: "create", salt: toHex(randomBytes(32)), details: sampleDetails }),
    );
    const data: Hex =
      creations.length === 1
        ? (creations[0] as Hex)
        : encodeFunctionData({ abi: registryAbi, functionName: "multicall", args: [creations] });
    const gas = toHex(100_000 + 120_000 * count);
    await rig.anvil.rpc("eth_sendTransaction", [
      { from: owner.address, to: rig.registry.address, data, gas },
    ]);
  }

  const assets = async () =>
    Number(
      (await rig.pool.query<{ count: string }>("select count(*) as count from chain.assets")).rows[0]?.count,
    );

  const troubles = () => {
    let sum = 0;
    for (const [name, amount] of rig.metrics.values()) if (name.startsWith("trouble_total")) sum += amount;
    return sum;
  };

  return {
    ...rig,
    provider,
    /** Waits until so many more looks at the chain have failed. */
    async afterTrouble(more: number) {
      const begun = troubles();
      await eventually(
        "failed looks",
        async () => troubles(),
        (count) => count >= begun + more,
        60,
      );
    },
    createTogether,
    /** Assets in the index. */
    assets,
    /** Waits until the index holds so many assets. */
    holds: (count: number, seconds?: number) =>
      eventually(`${count} assets in the index`, assets, (found) => found === count, seconds),
    stop: () => rig.stop().finally(() => provider.stop()),
  };
}
