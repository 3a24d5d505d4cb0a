import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Address, encodeFunctionData, numberToHex } from "viem";
import { migrate } from "../../db/core/migrate.ts";
import { assetDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { deployerKey } from "../../test/support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { deployRegistry } from "../contracts/deploy-registry.ts";
import { freePort } from "../local/ports.ts";
import { startPostgres } from "../local/postgres/server.ts";
import { document, seededRandom } from "./documents.ts";
import { benchFolder } from "./folder.ts";
import { machine, median, percentile } from "./measure.ts";
import { rewriteSection } from "./performance-doc.ts";
import { highLimits } from "./service.ts";

const usage = `Usage: npm run bench:lag [-- <option>…]

Measures how long it takes from a block at the node to its assets in the answers of the API: a local chain, a
real indexer, a real API and a real database, each in its own process.

  --seconds 60       length of each run
  --events 50        creations a second
  --block 500        milliseconds from one block to the next
  --write            puts the table into docs/performance.md
`;

const apiKey = "key-for-measuring-the-lag-0123456789";
/** Ways of learning about new blocks: RPC_URL and POLL_INTERVAL for each. */
const ways = {
  "WebSocket, polling every 1000 ms": (url: string) => [`${url},${url.replace("http", "ws")}`, "1000"],
  "polling every 50 ms": (url: string) => [url, "50"],
} satisfies Record<string, (url: string) => [string, string]>;

type Load = { seconds: number; rate: number; blockMs: number };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      events: { type: "string", default: "50" },
      block: { type: "string", default: "500" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [seconds, rate, blockMs] = [values.seconds, values.events, values.block].map(Number);
  if (!seconds || !rate || !blockMs)
    throw new Error(`--seconds, --events and --block take numbers.\n\n${usage}`);

  const lines = ["| New blocks by | Assets | Median | p99 | Slowest |", "| --- | --- | --- | --- | --- |"];
  for (const [name, settings] of Object.entries(ways)) {
    process.stderr.write(`  ${name}: ${seconds} s\n`);
    const lags = await measure(settings, { seconds, rate, blockMs });
    const cells = [median(lags), percentile(lags, 99), Math.max(...lags)].map(
      (lag) => `${Math.round(lag)} ms`,
    );
    lines.push(`| ${[name, lags.length, ...cells].join(" | ")} |`);
  }
  const text = [
    `${machine()}. ${rate} creations a second for ${seconds} s, a block every ${blockMs} ms.`,
    "",
    ...lines,
  ].join("\n");
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("lag", text);
}

/** @returns milliseconds from each block to its assets in the API, for every asset */
async function measure(settings: (url: string) => [string, string], load: Load): Promise<number[]> {
  const folder = await benchFolder("lag");
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    closers.push(postgres.stop);
    await migrate(postgres.url);
    const anvil = await startAnvil({ flags: ["--accounts", "20"] });
    closers.push(anvil.stop);
    const {
      registry: address,
      chainId,
      blockNumber,
    } = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    await anvil.rpc("evm_setAutomine", [false]);
    const [rpcUrl, pollInterval] = settings(anvil.url);
    const port = await freePort();
    const environment = {
      ...process.env,
      ...highLimits,
      DATABASE_URL: postgres.url,
      RPC_URL: rpcUrl,
      REGISTRY_ADDRESS: address,
      START_BLOCK: String(blockNumber),
      POLL_INTERVAL: pollInterval,
      OIDC_ISSUER: "http://127.0.0.1:1",
      API_KEYS: `bench:${apiKey}`,
      PORT: String(port),
      LOG_LEVEL: "warn",
    };
    for (const script of ["indexer/main.ts", "api/main.ts"]) {
      const child = spawn(process.execPath, [join(import.meta.dirname, "../..", script)], {
        env: environment,
        stdio: ["ignore", 2, 2],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      closers.push(() => {
        child.kill("SIGTERM");
        return ended;
      });
    }
    const look = await lookAt(port);
    return await watchBlocks(anvil, { chainId, address }, look, load);
  } finally {
    for (const closer of closers.reverse()) await closer();
  }
}

type Look = (path: string) => Promise<{ status: number; body: string }>;

/** Waits until the service is ready. @returns how to call it */
async function lookAt(port: number): Promise<Look> {
  const agent = new Agent({ keepAlive: true });
  const look: Look = (path) =>
    new Promise((resolve, reject) => {
      const headers = { "x-api-key": apiKey };
      const sent = request({ host: "127.0.0.1", port, path, agent, headers }, (response) => {
        let body = "";
        response.on("data", (part: Buffer) => {
          body += part;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.on("error", reject);
      sent.end();
    });
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await look("/ready").catch(() => undefined);
    if (answer?.status === 200) return look;
    await sleep(100);
  }
  throw new Error("The service was not ready within 30 s");
}

/** Fills blocks at the given rate and polls the API for the last asset of each block. */
async function watchBlocks(
  anvil: Anvil,
  registry: Registry,
  look: Look,
  { seconds, rate, blockMs }: Load,
): Promise<number[]> {
  const authors = await anvil.rpc<Address[]>("eth_accounts");
  const random = seededRandom(1);
  const perBlock = Math.max(1, Math.round((rate * blockMs) / 1000));
  const lags: number[] = [];
  const looking: Promise<void>[] = [];
  let made = 0;
  const begin = performance.now();
  for (let block = 1; block * blockMs <= seconds * 1000; block += 1) {
    const assets: string[] = [];
    for (let index = 0; index < perBlock; index += 1) {
      const author = authors[made % authors.length] as Address;
      const salt = numberToHex(made, { size: 32 });
      const details = document(random);
      made += 1;
      assets.push(assetDigests(registry, { author, salt, details }).id);
      const data = encodeFunctionData({
        abi: registryAbi,
        functionName: "createAsset",
        args: [salt, details],
      });
      const call = { from: author, to: registry.address, data, gas: numberToHex(400_000) };
      await anvil.rpc("eth_sendTransaction", [call]);
    }
    await sleep(Math.max(0, begin + block * blockMs - performance.now()));
    // Taken before the block is requested, so the node's time to mine it counts too.
    const asked = performance.now();
    await anvil.mine();
    const last = assets.at(-1) as string;
    looking.push(
      untilServed(look, last).then((seen) => {
        // All assets of a block come in one transaction of the index, so they are seen together.
        for (const _ of assets) lags.push(seen - asked);
      }),
    );
  }
  await Promise.all(looking);
  return lags;
}

async function untilServed(look: Look, asset: string): Promise<number> {
  const giveUp = performance.now() + 30_000;
  while (performance.now() < giveUp) {
    const { status } = await look(`/assets/${asset}`);
    if (status === 200) return performance.now();
    if (status !== 404) throw new Error(`The API answered ${status} for asset ${asset}`);
    await sleep(5);
  }
  throw new Error(`The API did not show asset ${asset} within 30 s of its block`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
