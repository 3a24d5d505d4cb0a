import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  stringToHex,
  toFunctionSelector,
  toHex,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { detailFields } from "../../domain/asset/asset.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { deployRegistry } from "../../scripts/contracts/deploy-registry.ts";
import { deployerKey } from "../support/chain/accounts.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { type ChainEvent, readEvents } from "./oracle.ts";
import type { Random } from "./random.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

const phrase = "test test test test test test test test test test test junk";
const authors = [0, 1, 2, 3, 4].map((addressIndex) => mnemonicToAccount(phrase, { addressIndex }));
/** Enough for three links, or a creation with long texts. */
const gas = 1_500_000n;
const fees = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/** Texts as people write them, and as nobody should. */
const texts: Hex[] = [
  "0x",
  stringToHex("Lease"),
  stringToHex("Vertr\u00e4ge \u{1f600}"),
  stringToHex('{"a":1.0}'),
  stringToHex("x".repeat(700)),
  "0x410042",
  "0x61c328ff",
  "0xefbbbf68",
];

/**
 * A chain on which several authors create, link and revoke at random. It mines when told, and forgets blocks
 * when told; `events` is always what the chain holds.
 */
export async function startWorld(random: Random) {
  // A reorg onto a state that anvil has moved to its disk would lose all accounts: they are kept in memory.
  const anvil = await startAnvil({ flags: ["--prune-history", "5000"] });
  const deployment = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
  await anvil.rpc("evm_setAutomine", [false]);
  const registry: Registry = { chainId: deployment.chainId, address: deployment.registry };
  const nonces = new Map<LocalAccount, number>();
  let events: ChainEvent[] = [];
  let head = deployment.blockNumber;
  const raws: { raw: Hex; block: number }[] = [];

  async function send(author: LocalAccount, data: Hex): Promise<void> {
    const nonce = nonces.get(author) ?? (await nonceOf(author));
    const { chainId, address: to } = registry;
    const raw = await author.signTransaction({ type: "eip1559", chainId, nonce, to, data, gas, ...fees });
    await anvil.rpc("eth_sendRawTransaction", [raw]);
    nonces.set(author, nonce + 1);
    raws.push({ raw, block: head + 1 });
  }

  const nonceOf = async (author: LocalAccount) =>
    Number(await anvil.rpc<Hex>("eth_getTransactionCount", [author.address, "pending"]));

  /** What a transaction of one block may build on: the chain so far. */
  function state() {
    const assets = events.flatMap(({ asset }) => (asset && isOurs(asset.author) ? [asset] : []));
    const standing = new Map<string, { parent: Hex; child: Hex }>();
    for (const { kind, pair } of events) {
      if (!pair) continue;
      const key = `${pair.parent} ${pair.child}`;
      if (kind === "added") standing.set(key, pair as { parent: Hex; child: Hex });
      else standing.delete(key);
    }
    return { assets, standing };
  }

  /** Sends one random call: mostly one that succeeds. */
  async function act({ assets, standing }: ReturnType<typeof state>): Promise<void> {
    const dice = random.next();
    if (assets.length < 2 || dice < 0.5) return send(random.pick(authors), creation(random));
    const { id, author } = random.pick(assets);
    // Now and then somebody tries who may not: mined in vain.
    const sender = random.chance(0.05) ? random.pick(authors) : accountOf(author);
    if (dice < 0.85 || standing.size === 0) {
      const children = Array.from({ length: random.whole(1, 3) }, () => random.pick(assets).id as Hex);
      return send(sender, change("link", id as Hex, [...new Set(children)]));
    }
    const { parent, child } = random.pick([...standing.values()]);
    const creator = assets.find((asset) => asset.id === parent)?.author ?? author;
    return send(accountOf(creator), change("revokeLinks", parent, [child]));
  }

  async function readNew(from: number): Promise<void> {
    head = Number(await anvil.rpc<Hex>("eth_blockNumber"));
    events = [
      ...events.filter(({ block }) => block < from),
      ...(await readEvents(anvil.rpc, registry.address, from, head)),
    ];
  }

  return {
    anvil,
    registry,
    deployment,
    get events(): readonly ChainEvent[] {
      return events;
    },
    get head() {
      return head;
    },

    /** Mines a block of up to `most` random transactions. */
    async block(most: number): Promise<void> {
      const now = state();
      for (let left = random.whole(0, most); left > 0; left -= 1) await act(now);
      await anvil.mine();
      await readNew(head + 1);
    },

    mine: async (blocks: number): Promise<void> => {
      await anvil.mine(blocks);
      await readNew(head + 1);
    },

    /** Replaces the newest blocks; some of their transactions come again, in other blocks, and some do not. */
    async reorg(depth: number): Promise<void> {
      const ancestor = Math.max(deployment.blockNumber, head - depth);
      const removed = head - ancestor;
      if (removed === 0) return;
      const again: [Hex, number][] = [];
      let offset = 0;
      // Their order stays: an author's transactions are valid in the order of their nonces only.
      for (const { raw, block } of raws.filter((sent) => sent.block > ancestor)) {
        offset = Math.max(offset, Math.min(removed - 1, block - ancestor - 1 + random.whole(-1, 1)));
        if (random.chance(0.7)) again.push([raw, offset]);
        else break;
      }
      raws.splice(raws.findIndex((sent) => sent.block > ancestor) >>> 0);
      for (const [raw, at] of again) raws.push({ raw, block: ancestor + 1 + at });
      await anvil.rpc("anvil_reorg", [removed, again]);
      nonces.clear();
      await readNew(ancestor + 1);
    },

    /** The chain from its beginning, read anew. */
    readAll: () => readEvents(anvil.rpc, registry.address, deployment.blockNumber, head),
    stop: () => anvil.stop(),
  };
}

/** Others may act on the same chain; what they do must not change what happens from a seed. */
const isOurs = (address: string): boolean => authors.some((author) => author.address === address);

function accountOf(address: string): LocalAccount {
  const found = authors.find((author) => author.address === address);
  if (found === undefined) throw new Error(`${address} is no author of this world`);
  return found;
}

/** Texts are handed over as bytes: the registry takes any. */
function creation(random: Random): Hex {
  const details = Object.fromEntries(detailFields.map((field) => [field, random.pick(texts)]));
  if (details["name"] === "0x") details["name"] = stringToHex("Deed");
  const components = detailFields.map((name) => ({ name, type: "bytes" }) as const);
  const parameters = [{ type: "bytes32" }, { type: "tuple", components }] as const;
  return concat([
    toFunctionSelector(`createAsset(bytes32,(${detailFields.map(() => "string").join()}))`),
    encodeAbiParameters(parameters, [
      toHex(random.bytes(32)),
      details as Record<(typeof detailFields)[number], Hex>,
    ]),
  ]);
}

const change = (functionName: "link" | "revokeLinks", parent: Hex, children: Hex[]): Hex =>
  encodeFunctionData({ abi: registryAbi, functionName, args: [parent, children] });
