import { parseArgs } from "node:util";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type Hex, numberToHex } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import { type Proof, verifyDocument } from "../../../proof/src/proof.ts";
import { slots } from "../../../test/support/proof/node-proof.ts";
import { machine, median } from "../measure.ts";
import { rewriteSection } from "../performance-doc.ts";
import { type WholeService, withWholeService } from "../whole-service.ts";
import { inOneCall, registerAssets } from "./register-assets.ts";

const usage = `Usage: npm run bench:proof [-- <option>…]

Registers assets on a local chain, and takes by turns: the node's own answer, which a proof is made of, and the
service's proof; the hashes of all nodes of a proof, and its verification.

  --assets 10000     on the chain, in hundreds
  --rounds 5         of which the median is told
  --calls 40         of each contestant in a round
  --write            puts the table into docs/performance.md
`;

const apiKey = "key-for-measuring-the-proofs-01234";

/** Links that are asked for beside the asset, all from the first asset. */
const linkCounts = [0, 1, 10];

type Load = { assets: number; rounds: number; calls: number };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      assets: { type: "string", default: "10000" },
      rounds: { type: "string", default: "5" },
      calls: { type: "string", default: "40" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [assets = 0, rounds = 0, calls = 0] = [values.assets, values.rounds, values.calls].map(Number);
  if (!(assets >= inOneCall) || !(rounds >= 1) || !(calls >= 1))
    throw new Error(`--assets, --rounds and --calls take numbers.\n\n${usage}`);
  const environment = { API_KEYS: `bench:${apiKey}` };
  const rows = await withWholeService({ name: "proof", environment }, (service) =>
    measure(service, { assets, rounds, calls }),
  );
  const text = [
    `${machine()}. ${assets.toLocaleString("en")} assets on a local chain, medians of ${rounds} rounds of ${calls} calls, taken in turn.`,
    "",
    "| Links | Size | node alone | `GET …/proof` | of the node | nodes hashed alone | verified |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("proof", text);
}

async function measure(service: WholeService, load: Load): Promise<string[]> {
  const { first, children } = await registerAssets(service, load.assets, Math.max(...linkCounts));
  const rows: string[] = [];
  for (const count of linkCounts) rows.push(await contest(service, first, children.slice(0, count), load));
  return rows;
}

/** All contestants by turns, call by call, so that whatever else the machine does meets each. @returns a row of the table */
async function contest(
  { apiUrl, anvil, registry }: WholeService,
  asset: Hex,
  children: readonly Hex[],
  { rounds, calls }: Load,
): Promise<string> {
  const url = `${apiUrl}/assets/${asset}/proof${children.length === 0 ? "" : `?links=${children.join()}`}`;
  let text = await untilProven(url);
  let proof = proofIn(text);
  const keys = [slots.asset(asset), ...children.map((child) => slots.link(asset, child))];
  const contestants: (() => unknown)[] = [
    () => {
      const block = numberToHex(proof.block.number);
      return call(anvil.url, [
        ["eth_getProof", [registry.address, keys, block]],
        ["eth_getBlockByNumber", [block, false]],
      ]);
    },
    async () => {
      text = await get(url);
      proof = proofIn(text);
    },
    () => hashNodes(proof),
    () => verify(text, proof.block.hash, children),
  ];
  const medians: number[][] = contestants.map(() => []);
  // Nobody's first calls count: they are compiled meanwhile.
  for (let round = -1; round < rounds; round += 1) {
    const times: number[][] = contestants.map(() => []);
    for (let at = 0; at < calls; at += 1) {
      for (const [index, work] of contestants.entries()) {
        const since = performance.now();
        await work();
        times[index]?.push(performance.now() - since);
      }
    }
    if (round >= 0) for (const [index, of] of times.entries()) medians[index]?.push(median(of));
  }
  const [alone = 0, served = 0, hashed = 0, verified = 0] = medians.map(median);
  const cells = [
    `${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`,
    ...[`${alone.toFixed(1)} ms`, `${served.toFixed(1)} ms`, `${Math.round((100 * served) / alone)} %`],
    ...[hashed, verified].map((time) => `${time.toFixed(2)} ms`),
  ];
  return `| ${[children.length, ...cells].join(" | ")} |`;
}

/** What every verifier does at least. */
function hashNodes({ account, assetSlot, links, block }: Proof): void {
  const nodes = [account, assetSlot, ...links].flatMap(({ proof }) => proof);
  for (const node of [...nodes, block.header]) keccak_256(toBytes(node as Hex));
}

function verify(text: string, hash: string, children: readonly Hex[]): void {
  const { verdict, words } = verifyDocument(text, {
    block: { hash, source: "the service" },
    children: [...children],
  });
  if (verdict !== "valid") throw new Error(words);
}

const proofIn = (text: string): Proof => (JSON.parse(text) as { value: Proof }).value;

async function get(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { "x-api-key": apiKey } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The service answered ${answer.status}: ${text.slice(0, 200)}`);
  return text;
}

/** Waits until the indexer has read what was registered. */
async function untilProven(url: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await get(url);
    } catch (error) {
      if (attempt === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A batch of JSON-RPC calls, whose answer is parsed. */
async function call(url: string, calls: [method: string, params: unknown[]][]): Promise<void> {
  const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const results = (await answer.json()) as { error?: { message: string } }[];
  const refused = results.find(({ error }) => error !== undefined);
  if (refused) throw new Error(`The node refused it: ${refused.error?.message}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
