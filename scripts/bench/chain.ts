import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Address, encodeFunctionData, type Hex, numberToHex } from "viem";
import type { AssetId } from "../../domain/asset/asset.ts";
import { assetDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { limits } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { deployerKey } from "../../test/support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { deployRegistry } from "../contracts/deploy-registry.ts";
import { document, seededRandom } from "./documents.ts";

/** Contents of a filled chain; links and revocations are counted in events. */
export type BenchChain = {
  registry: Registry;
  startBlock: number;
  head: number;
  assets: number;
  links: number;
  revocations: number;
};

type Progress = (done: number, of: number) => void;

/** Increased when the generator changes, so that a stale chain is not reused. */
const layout = 1;
const flags = ["--accounts", "20", "--prune-history"];

/**
 * Starts a chain with `events` events of the registry. It is filled once and kept in `folder`: filling takes
 * a minute and more, loading seconds.
 */
export async function startBenchChain(
  events: number,
  folder: string,
  onProgress: Progress = () => {},
): Promise<{ anvil: Anvil; chain: BenchChain }> {
  const state = join(folder, `chain-${events}-layout-${layout}.state.json`);
  const facts = join(folder, `chain-${events}-layout-${layout}.json`);
  if (!existsSync(facts)) {
    await mkdir(folder, { recursive: true });
    const unfinished = `${state}.part`;
    const anvil = await startAnvil({ flags: [...flags, "--dump-state", unfinished] });
    const chain = await fill(anvil, events, onProgress);
    await anvil.stop("SIGINT");
    await rename(unfinished, state);
    await writeFile(facts, JSON.stringify(chain));
  }
  const anvil = await startAnvil({ flags: [...flags, "--load-state", state], automine: false });
  return { anvil, chain: JSON.parse(await readFile(facts, "utf8")) };
}

/** 80 % creations, 18 % links, 2 % revocations, about 50 events a block, then as many blocks as a reorg may undo. */
async function fill(anvil: Anvil, events: number, onProgress: Progress): Promise<BenchChain> {
  const deployment = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
  const registry = { chainId: deployment.chainId, address: deployment.registry };
  await anvil.rpc("evm_setAutomine", [false]);
  const authors = await anvil.rpc<Address[]>("eth_accounts");
  const plan = planEvents(registry, authors, events);
  let done = 0;
  for (const block of plan) {
    await send(anvil, registry.address, block.calls);
    await anvil.mine();
    done += block.events;
    onProgress(done, events);
  }
  await anvil.mine(limits.reorgDepth);
  const [assets, links] = [Math.round(events * 0.8), Math.round(events * 0.18)];
  return {
    registry,
    startBlock: deployment.blockNumber,
    head: Number(await anvil.rpc("eth_blockNumber")),
    assets,
    links,
    revocations: events - assets - links,
  };
}

type Call = { from: Address; data: Hex; gas: number };
type Pair = { parent: number; child: number };

/** The calls of each block; what a block refers to was made in an earlier one. */
function* planEvents(registry: Registry, authors: readonly Address[], events: number) {
  const random = seededRandom(events);
  const below = (limit: number) => Math.floor(random() * limit);
  const left = { assets: Math.round(events * 0.8), links: Math.round(events * 0.18), revocations: 0 };
  left.revocations = events - left.assets - left.links;
  const made: AssetId[] = [];
  const standing: Pair[] = [];
  const everLinked = new Set<string>();
  const authorOf = (asset: number) => authors[asset % authors.length] as Address;

  for (let first = true; left.assets + left.links + left.revocations > 0; first = false) {
    const known = { assets: made.length, pairs: standing.length };
    const calls: Call[] = [];
    const take = (kind: keyof typeof left, wish: number) => {
      const taken = Math.min(left[kind], wish);
      left[kind] -= taken;
      return taken;
    };
    const creations = take("assets", 36 + below(9));
    const links = first ? 0 : take("links", left.assets === 0 ? 30 : 7 + below(5));
    const revocations = known.pairs < 10 ? 0 : take("revocations", left.assets === 0 ? 5 : below(3));

    for (let index = 0; index < creations; index += 1) {
      const author = authorOf(made.length);
      const salt = numberToHex(made.length, { size: 32 });
      const details = document(random);
      made.push(assetDigests(registry, { author, salt, details }).id);
      const args = [salt, details] as const;
      calls.push({
        from: author,
        gas: 400_000,
        data: encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args }),
      });
    }
    for (let index = 0; index < revocations; index += 1) {
      const place = below(Math.min(standing.length, known.pairs) - index);
      const [pair] = standing.splice(place, 1) as [Pair];
      calls.push(linkCall("revokeLinks", pair.parent, [pair.child]));
    }
    for (let open = links; open > 0; ) {
      const parent = below(known.assets);
      const children = new Set<number>();
      const wish = Math.min(open, 1 + below(4));
      while (children.size < wish) {
        const child = below(known.assets);
        if (child !== parent && !everLinked.has(`${parent} ${child}`)) children.add(child);
      }
      for (const child of children) {
        everLinked.add(`${parent} ${child}`);
        standing.push({ parent, child });
      }
      calls.push(linkCall("link", parent, [...children]));
      open -= children.size;
    }
    yield { calls, events: creations + links + revocations };
  }

  function linkCall(functionName: "link" | "revokeLinks", parent: number, children: number[]): Call {
    const args = [made[parent] as AssetId, children.map((child) => made[child] as AssetId)] as const;
    return {
      from: authorOf(parent),
      gas: 100_000 + 60_000 * children.length,
      data: encodeFunctionData({ abi: registryAbi, functionName, args }),
    };
  }
}

/** Sends all calls of a block in one request; the chain signs for the accounts that it made itself. */
async function send(anvil: Anvil, to: Address, calls: readonly Call[]): Promise<void> {
  const requests = calls.map(({ from, data, gas }, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_sendTransaction",
    params: [{ from, to, data, gas: numberToHex(gas) }],
  }));
  const response = await fetch(anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requests),
  });
  const answers = (await response.json()) as { error?: { message: string } }[];
  const refused = answers.find(({ error }) => error !== undefined);
  if (refused) throw new Error(`The chain refused a transaction: ${refused.error?.message}`);
}
