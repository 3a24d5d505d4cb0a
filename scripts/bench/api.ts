import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "../../db/core/migrate.ts";
import { fileDigest } from "../../db/core/search-keys.ts";
import { keyDigest } from "../../db/service/api-keys.ts";
import { limits } from "../../domain/limits.ts";
import { postmasterPid } from "../local/postgres/cluster.ts";
import { startPostgres } from "../local/postgres/server.ts";
import { type BenchIndex, fillIndex, layout, registryAddress, sampleIndex } from "./api/data.ts";
import { type Laps, load, type Target } from "./api/load.ts";
import { benchFolder } from "./folder.ts";
import { machine, median } from "./measure.ts";
import { rewriteSection } from "./performance-doc.ts";
import { startApi, startFloor } from "./service.ts";

const usage = `Usage: npm run bench:api [-- <option>…]

Fills an index with assets and five links for each, starts the API in a process of its own, and asks it under
load, alternating with floors: Express 5 that finds the same rows by one prepared statement and answers the same bytes,
and one that answers from memory.

  --assets 10000,1000000  sizes of the index, separated by commas
  --seconds 4             length of each run
  --rounds 2              runs of each, taken in turn; the median counts
  --connections 10,32     callers at once; all cases are asked by the first number of them, single assets by each
  --only asset,floor      the cases whose name begins so (default: all)
  --data <folder>         keeps the filled databases there for the next run
  --write                 puts the table into docs/performance.md
`;

const apiKey = "key-for-measuring-the-api-0123456789";
const tenant = "bench";
/** Enough that no answer is the one before, few enough that all are read before the clock starts. */
const samples = 2_000;
/** Lists of each kind, and entries of a page. */
const lists = 500;
const pageSize = 20;
/** Seconds in which the code of a case is compiled, of the floors too, before the clock starts. */
const warmUp = (seconds: number) => Math.min(3, 5 * seconds);

type Case = { name: string; target: Target };
type Measured = { assets: number; callers: number; laps: Map<string, Laps[]> };

const mainFloor = "floor: asset by id";
/** Cases that are measured with every number of callers. */
const single = new Set([mainFloor, "asset by id", "status", "links"]);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      assets: { type: "string", default: "10000,1000000" },
      seconds: { type: "string", default: "4" },
      rounds: { type: "string", default: "2" },
      connections: { type: "string", default: "10,32" },
      only: { type: "string", default: "" },
      data: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const sizes = values.assets.split(",").map(Number);
  const connections = values.connections.split(",").map(Number);
  const [seconds = 0, rounds = 0] = [values.seconds, values.rounds].map(Number);
  const positive = [seconds, rounds, ...connections].every((number) => number > 0);
  if (!sizes.every((size) => size >= 100) || !positive) {
    throw new Error(
      `--assets takes numbers from 100; --seconds, --rounds and --connections take numbers above 0.\n\n${usage}`,
    );
  }

  const folder = values.data ?? (await benchFolder("api"));
  await mkdir(folder, { recursive: true });
  const only = values.only.split(",");
  const measured: Measured[] = [];
  try {
    for (const size of sizes) {
      const wanted = (name: string) => only.some((beginning) => name.startsWith(beginning));
      measured.push(...(await measure(folder, size, { seconds, rounds, connections, wanted })));
    }
  } finally {
    if (values.data === undefined) await rm(folder, { recursive: true, force: true });
  }
  const text = report(measured, { seconds, rounds });
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("api", text);
}

type Plan = {
  seconds: number;
  rounds: number;
  connections: readonly number[];
  wanted: (name: string) => boolean;
};

async function measure(folder: string, size: number, plan: Plan): Promise<Measured[]> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const place = join(folder, `assets-${size}-layout-${layout}`);
    const postgres = await startPostgres({ dataDir: place });
    closers.push(postgres.stop);
    await prepare(postgres.url, size, `${place}.filled`);
    const index = await sampleIndex(postgres.url, size, samples);
    const api = await startApi(
      {
        DATABASE_URL: postgres.url,
        RPC_URL: "http://127.0.0.1:1",
        REGISTRY_ADDRESS: registryAddress,
        OIDC_ISSUER: "http://127.0.0.1:1",
        LOG_LEVEL: "info",
      },
      `${place}.api.log`,
    );
    closers.push(api.stop, () => rm(`${place}.api.log`, { force: true }));
    const { answer, hubMeta } = await storeAnswers(postgres.url, api.url, index);
    const floor = await startFloor(postgres.url, answer, hubMeta);
    closers.push(floor.stop);
    const cases = casesOf(api, floor, postmasterPid(postgres.folder), index).filter(({ name }) =>
      plan.wanted(name),
    );
    const measured: Measured[] = [];
    for (const [index, callers] of plan.connections.entries()) {
      const asked = index === 0 ? cases : cases.filter(({ name }) => single.has(name));
      measured.push({ assets: size, callers, laps: await inTurn(asked, size, callers, plan) });
    }
    return measured;
  } finally {
    for (const closer of closers.reverse()) await closer();
  }
}

async function inTurn(
  cases: readonly Case[],
  size: number,
  callers: number,
  { seconds, rounds }: Plan,
): Promise<Measured["laps"]> {
  const measured: Measured["laps"] = new Map(cases.map(({ name }) => [name, []]));
  for (const { target } of cases) await load(target, warmUp(seconds), callers);
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, target } of cases) {
      const laps = await load(target, seconds, callers);
      measured.get(name)?.push(laps);
      process.stderr.write(
        `  ${size} assets, ${callers} callers, ${name}: ${Math.round(laps.rate)}/s, p50 ${laps.p50.toFixed(2)} ms, ` +
          `p99 ${laps.p99.toFixed(2)} ms, ${Math.round(laps.cpu)} and ${Math.round(laps.postgres)} µs\n`,
      );
    }
  }
  return measured;
}

/** Fills the database where that has not been done before. */
async function prepare(url: string, size: number, mark: string): Promise<void> {
  if (existsSync(mark)) {
    await migrate(url);
    return;
  }
  process.stderr.write(`  filling an index with ${size} assets\n`);
  await fillIndex(url, size, tenant);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("insert into service.api_keys (id, tenant, name, digest) values ($1, $2, 'bench', $3)", [
    randomUUID(),
    tenant,
    keyDigest(apiKey),
  ]);
  await client.end();
  await writeFile(mark, "");
}

/** Answers of the floors from memory: one asset, and the envelope of the hub's links. */
type Constants = { answer: string; hubMeta: string };

/** Gives the floors the API's own answers to send. */
async function storeAnswers(databaseUrl: string, apiUrl: string, index: BenchIndex): Promise<Constants> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  async function ask(path: string): Promise<string> {
    const answer = await fetch(`${apiUrl}${path}`, { headers: { "x-api-key": apiKey } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The API answered ${answer.status}: ${text}`);
    return text;
  }
  const store = (values: readonly { id: string }[]) =>
    client.query(
      `insert into bench.answers
       select value->>'id', '{"value":' || value || '}', value::text from json_array_elements($1::json) value
       on conflict do nothing`,
      [JSON.stringify(values)],
    );
  try {
    await client.query("drop schema if exists bench cascade; create schema bench");
    await client.query(
      "create table bench.answers (id text primary key, body text not null, value text not null)",
    );
    let answer = "";
    for (const id of index.assets) {
      answer = await ask(`/assets/${id}`);
      await store([JSON.parse(answer).value]);
    }
    for (const path of listsOf(index).map(({ api }) => api)) await store(JSON.parse(await ask(path)).value);
    await client.query("vacuum analyze bench.answers");
    const hub = JSON.parse(await ask(`/assets/${index.target}/links`)) as { meta: object };
    return { answer, hubMeta: JSON.stringify(hub.meta) };
  } finally {
    await client.end();
  }
}

/** Lists that are asked for in turn, of the API and of its floor. */
function listsOf({ authors, hashes }: BenchIndex): { kind: "author" | "hash"; api: string; floor: string }[] {
  const some = <Value>(values: readonly Value[]) => [...new Set(values)].slice(0, lists);
  return [
    ...some(authors).map((author) => ({
      kind: "author" as const,
      api: `/assets/?author=${author}&size=${pageSize}`,
      floor: `/author/${author}?size=${pageSize}`,
    })),
    ...some(hashes).map((hash) => ({
      kind: "hash" as const,
      api: `/assets/?hash=${hash}&size=${pageSize}`,
      floor: `/file/${fileDigest("SHA2-256", hash)?.toString("hex")}?size=${pageSize}`,
    })),
  ];
}

type Server = { url: string; pid: number };

function casesOf(api: Server, floor: Server, postgres: number, index: BenchIndex): Case[] {
  const { assets, target } = index;
  const ask = (paths: string[]): Target => ({ ...api, postgres, paths, headers: { "x-api-key": apiKey } });
  const bare = (paths: string[]): Target => ({ ...floor, postgres, paths });
  const lists = (kind: "author" | "hash", of: "api" | "floor") =>
    listsOf(index).flatMap((list) => (list.kind === kind ? [list[of]] : []));
  return [
    { name: mainFloor, target: bare(assets.map((id) => `/stored/${id}`)) },
    { name: "asset by id", target: ask(assets.map((id) => `/assets/${id}`)) },
    { name: "status", target: ask(assets.map((id) => `/assets/${id}/status`)) },
    { name: "links", target: ask(assets.map((id) => `/assets/${id}/links`)) },
    { name: "floor: constant", target: bare(["/constant"]) },
    { name: "floor: links of a hub", target: bare([`/links/${target}?size=${limits.links}`]) },
    { name: "links of a hub", target: ask([`/assets/${target}/links`]) },
    { name: `floor: ${pageSize} by author`, target: bare(lists("author", "floor")) },
    { name: `${pageSize} by author`, target: ask(lists("author", "api")) },
    { name: "floor: search by hash", target: bare(lists("hash", "floor")) },
    { name: "search by hash", target: ask(lists("hash", "api")) },
  ];
}

function report(
  measured: readonly Measured[],
  { seconds, rounds }: Pick<Plan, "seconds" | "rounds">,
): string {
  const lines = [
    `${machine()}. Medians of ${rounds} runs of ${seconds} s, taken in turn.`,
    "",
    "| Assets | Callers | Request | Answers/s | of the floor | p50 ms | p99 ms | CPU µs | of PostgreSQL |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const { assets, callers, laps } of measured) {
    const of = (name: string, pick: (one: Laps) => number) => median((laps.get(name) ?? []).map(pick));
    for (const name of laps.keys()) {
      const own = `floor: ${name}`;
      const floor = of(laps.has(own) ? own : mainFloor, ({ rate }) => rate);
      const rate = of(name, (one) => one.rate);
      const cells = [
        assets.toLocaleString("en"),
        String(callers),
        name,
        Math.round(rate).toLocaleString("en"),
        Number.isNaN(floor) ? "" : `${Math.round((100 * rate) / floor)} %`,
        of(name, ({ p50 }) => p50).toFixed(2),
        of(name, ({ p99 }) => p99).toFixed(2),
        String(Math.round(of(name, ({ cpu }) => cpu))),
        String(Math.round(of(name, ({ postgres }) => postgres))),
      ];
      lines.push(`| ${cells.join(" | ")} |`);
    }
  }
  return lines.join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
