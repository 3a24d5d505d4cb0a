import { randomBytes } from "node:crypto";
import { numberToHex, toHex } from "viem";
import { assetsOnChain } from "../../../db/reads/chain-asset.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { assetId } from "../asset-id.ts";
import { owner } from "../chain/accounts.ts";
import { type Liar, startLiar } from "../chain/liar.ts";
import { eventually } from "../eventually.ts";
import { calldataOf, type RigOptions, sampleDetails, startRig } from "./rig.ts";

export type LiarRig = Awaited<ReturnType<typeof startLiarRig>>;

/** Starts a rig whose indexer sees the chain only through a proxy that can be made to lie. */
export async function startLiarRig({ socket = false, ...options }: RigOptions & { socket?: boolean } = {}) {
  let made: Liar | undefined;
  const rig = await startRig({
    ...options,
    nodeUrls: async (url) => {
      made = await startLiar(url);
      const urls = await (options.nodeUrls ?? (() => []))(url);
      return [made.url, ...urls, ...(socket ? [made.socketUrl] : [])];
    },
  });
  const liar = made as Liar;

  /** Sends a creation that nobody asked the service for. @returns the asset's id and the raw transaction */
  async function create(options: { nonce?: number } = {}) {
    const { id, asset } = await rig.requestCreation();
    const { raw } = await rig.sign((await rig.find(id)).calldata, options);
    await rig.send(raw);
    return { id, asset, raw };
  }

  /** Creates an asset in a block of its own. */
  async function createInBlock() {
    const made = await create();
    await rig.mine();
    const { number, hash } = await rig.chain.getBlock();
    return { ...made, number: Number(number), hash: hash as `0x${string}` };
  }

  /** Creates an asset in a block, without a word to the database. */
  async function createOnChain(): Promise<AssetId> {
    const salt = toHex(randomBytes(32));
    const data = calldataOf("0x", { kind: "create", salt, details: sampleDetails });
    await rig.anvil.rpc("eth_sendTransaction", [{ from: owner.address, to: rig.registry.address, data }]);
    await rig.mine();
    return assetId(rig.registry, { author: owner.address, salt, details: sampleDetails });
  }

  /** Creations of the chain's own account, so many in each block, with `apart - 1` empty blocks behind each. */
  async function createMany(blocks: number, each: number, apart = 1): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      const calls = Array.from({ length: each }, (_, id) => {
        const data = calldataOf("0x", {
          kind: "create",
          salt: toHex(randomBytes(32)),
          details: sampleDetails,
        });
        const params = [{ from: owner.address, to: rig.registry.address, data, gas: toHex(200_000) }];
        return { jsonrpc: "2.0", id, method: "eth_sendTransaction", params };
      });
      await fetch(rig.anvil.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(calls),
      });
      await rig.mine();
      if (apart > 1) await rig.mine(apart - 1);
    }
  }

  const isIndexed = async (asset: `0x${string}`) => (await assetsOnChain(rig.pool, [asset])).has(asset);

  const position = async () => (await readIndexPosition(rig.pool))?.blockNumber ?? -1;

  /** What was counted under a name, all reasons together or one. */
  function counted(name: string, reason?: string): number {
    let sum = 0;
    for (const [key, value] of rig.metrics.values()) {
      if (key === name || key.startsWith(`${name}{`)) {
        if (reason === undefined || key.includes(`"${reason}"`)) sum += value;
      }
    }
    return sum;
  }

  return {
    ...rig,
    liar,
    create,
    createInBlock,
    createOnChain,
    createMany,
    isIndexed,
    position,
    counted,
    count: async (table: "assets" | "links" | "blocks") =>
      (await rig.pool.query<{ count: number }>(`select count(*) as count from chain.${table}`)).rows[0]
        ?.count,
    halted: async () => (await readIndexPosition(rig.pool))?.haltedReason,
    indexed: (asset: `0x${string}`, seconds?: number) =>
      eventually("the asset in the index", () => isIndexed(asset), Boolean, seconds),
    stop: () => rig.stop().finally(() => liar.stop()),
  };
}

/** The block that a call for a header names by its number. */
export const asksForBlock = (params: unknown[], number: number): boolean => params[0] === numberToHex(number);
