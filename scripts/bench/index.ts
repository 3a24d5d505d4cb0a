import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "../../db/core/migrate.ts";
import type { Anvil } from "../../test/support/chain/anvil.ts";
import { postmasterPid } from "../local/postgres/cluster.ts";
import { type Postgres, startPostgres } from "../local/postgres/server.ts";
import { type BenchChain, startBenchChain } from "./chain.ts";
import type { Lap as ChildLap } from "./contestant.ts";
import { cpuSecondsOf } from "./cpu.ts";
import { benchFolder } from "./folder.ts";
import { machine, median, runChild } from "./measure.ts";
import { rewriteSection } from "./performance-doc.ts";

const usage = `Usage: npm run bench:index [-- <option>…]

Fills a local chain with events of the registry, indexes it from an empty database, and compares that with two
floors of the same process class: eth_getLogs alone, and eth_getLogs with a bare COPY into tables.

  --events 10000,100000   sizes of the chains, separated by commas (default 10000,50000,100000)
  --runs 5                runs of each, taken in turn; the median counts
  --chains <folder>       where filled chains are kept (default: asset-registry-bench in the temporary folder)
  --write                 puts the table into docs/performance.md
`;

const names = ["get-logs", "get-logs-and-copy", "indexer"] as const;
type Name = (typeof names)[number];
/** A run, with the processor seconds that PostgreSQL and the node used for it. */
type Lap = ChildLap & { postgresSeconds: number; nodeSeconds: number };
type Laps = Record<Name, Lap[]>;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: "10000,50000,100000" },
      runs: { type: "string", default: "5" },
      chains: { type: "string", default: join(tmpdir(), "asset-registry-bench") },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const sizes = values.events.split(",").map(Number);
  const runs = Number(values.runs);
  if (![...sizes, runs].every((count) => Number.isSafeInteger(count) && count > 0)) {
    throw new Error(`--events and --runs take whole numbers above 0.\n\n${usage}`);
  }

  const folder = await benchFolder("run");
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  try {
    const measured = new Map<number, Laps>();
    for (const size of sizes) measured.set(size, await measure(size, runs, { folder, postgres, values }));
    const text = report(measured, runs);
    console.log(`\n${text}`);
    if (values.write) await rewriteSection("index", text);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Place = { folder: string; postgres: Postgres; values: { chains: string } };

async function measure(events: number, runs: number, place: Place): Promise<Laps> {
  let shown = -1;
  const progress = (done: number) => {
    const percent = Math.floor((100 * done) / events);
    if (percent > shown) process.stderr.write(`\r  filling a chain of ${events} events: ${percent} % `);
    shown = percent;
  };
  const { anvil, chain } = await startBenchChain(events, place.values.chains, progress);
  const laps: Laps = { "get-logs": [], "get-logs-and-copy": [], indexer: [] };
  try {
    // In turn, so that a machine that changes its speed changes it for all of them.
    for (let run = 1; run <= runs; run += 1) {
      for (const name of names) {
        const lap = await runOnce(name, chain, anvil, place);
        laps[name].push(lap);
        const rate = Math.round(lap.events / lap.seconds).toLocaleString("en");
        process.stderr.write(`\r  ${events} events, run ${run}, ${name}: ${rate} events/s\n`);
      }
    }
  } finally {
    await anvil.stop();
  }
  return laps;
}

async function runOnce(
  name: Name,
  chain: BenchChain,
  anvil: Anvil,
  { folder, postgres }: Place,
): Promise<Lap> {
  const database = `bench_${name.replaceAll("-", "_")}`;
  const databaseUrl = await emptyDatabase(postgres, database);
  if (name === "indexer") await migrate(databaseUrl);
  const facts = join(folder, "facts.json");
  await writeFile(facts, JSON.stringify({ chain, rpcUrl: anvil.url, databaseUrl }));
  const postmaster = postmasterPid(postgres.folder);
  const [postgresBefore, nodeBefore] = [cpuSecondsOf(postmaster), cpuSecondsOf(anvil.pid)];
  const lap = await runChild<ChildLap>(join(import.meta.dirname, "contestant.ts"), [name, facts]);
  return {
    ...lap,
    postgresSeconds: cpuSecondsOf(postmaster) - postgresBefore,
    nodeSeconds: cpuSecondsOf(anvil.pid) - nodeBefore,
  };
}

async function emptyDatabase(postgres: Postgres, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    // Flush what earlier runs left dirty, so that it is not written during this one.
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
  const url = new URL(postgres.adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function report(measured: ReadonlyMap<number, Laps>, runs: number): string {
  const lines = [
    `${machine()}. Medians of ${runs} runs, taken in turn.`,
    "",
    "| Events | getLogs alone | getLogs and COPY | Indexer | of getLogs and COPY | Seconds | CPU s | Peak RSS |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  const seconds = new Map<number, number>();
  for (const [size, laps] of measured) {
    const rate = (name: Name) => median(laps[name].map((lap) => lap.events / lap.seconds));
    const of = (pick: (lap: Lap) => number) => median(laps.indexer.map(pick));
    seconds.set(
      size,
      of((lap) => lap.seconds),
    );
    const ratio = Math.round((100 * rate("indexer")) / rate("get-logs-and-copy"));
    const cells = [
      ...[size, rate("get-logs"), rate("get-logs-and-copy"), rate("indexer")].map((value) =>
        Math.round(value).toLocaleString("en"),
      ),
      `${ratio} %`,
      of((lap) => lap.seconds).toFixed(2),
      of((lap) => lap.cpuSeconds).toFixed(2),
      `${Math.round(of((lap) => lap.peakRssMiB))} MiB`,
    ];
    lines.push(`| ${cells.join(" | ")} |`);
  }
  lines.push(
    "",
    ...cpuTable(measured.get(Math.max(...measured.keys())) as Laps, Math.max(...measured.keys())),
  );
  const [least, most] = [Math.min(...seconds.keys()), Math.max(...seconds.keys())];
  if (most > least) {
    const times = ((seconds.get(most) ?? 0) / (seconds.get(least) ?? 1)).toFixed(1);
    lines.push("", `${(most / least).toFixed(0)} times the events take ${times} times as long.`);
  }
  return lines.join("\n");
}

/** On two cores that three processes share, the sum of a column's seconds counts. */
function cpuTable(laps: Laps, events: number): string[] {
  const row = (of: string, pick: (lap: Lap) => number) =>
    `| ${[of, ...names.map((name) => median(laps[name].map(pick)).toFixed(2))].join(" | ")} |`;
  return [
    `| CPU seconds for ${events.toLocaleString("en")} events | getLogs alone | getLogs and COPY | Indexer |`,
    "| --- | --- | --- | --- |",
    row("the measured process", (lap) => lap.cpuSeconds),
    row("PostgreSQL", (lap) => lap.postgresSeconds),
    row("the node", (lap) => lap.nodeSeconds),
  ];
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
