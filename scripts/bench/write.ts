import { parseArgs } from "node:util";
import pg from "pg";
import { cpuSecondsOf } from "./cpu.ts";
import { machine, percentile } from "./measure.ts";
import { rewriteSection } from "./performance-doc.ts";
import { startFloor } from "./service.ts";
import { withWholeService } from "./whole-service.ts";
import { type Load, type Measured, writeLoad } from "./write-load.ts";

const usage = `Usage: npm run bench:write [-- <option>…]

Registers assets at a steady rate through the whole service: request, read what to sign, sign, hand in, until
each is Confirmed. Beside it states are polled, and one insert through bare Express is timed as the floor.

  --seconds 60       how long assets are requested
  --rate 50          requests a second
  --polls 1000       reads of a state a second
  --authors 200      accounts that sign in turn
  --write            puts the table into docs/performance.md
`;

const apiKey = "key-for-measuring-the-writes-012345";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      rate: { type: "string", default: "50" },
      polls: { type: "string", default: "1000" },
      authors: { type: "string", default: "200" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [seconds = 0, rate = 0, polls = 0, authors = 0] = [
    values.seconds,
    values.rate,
    values.polls,
    values.authors,
  ].map(Number);
  if (!(seconds > 0) || !(rate > 0) || !(polls >= 0) || !(authors >= 1)) {
    throw new Error(`--seconds, --rate, --polls and --authors take numbers.\n\n${usage}`);
  }
  const measured = await measure({ seconds, rate, polls, authors });
  const text = report(measured, { seconds, rate, polls, authors });
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("write", text);
}

async function measure(load: Load): Promise<Measured> {
  const environment = { API_KEYS: `bench:${apiKey}` };
  return await withWholeService({ name: "write", environment, prepare: makeFloorTable }, async (service) => {
    const floor = await startFloor(service.databaseUrl, "");
    try {
      const parts = { ...service.pids, "the floor": floor.pid };
      return await writeLoad(load, {
        ...service,
        apiKey,
        floorUrl: floor.url,
        cpuSeconds: () => {
          const { user, system } = process.cpuUsage();
          const others = Object.entries(parts).map(([part, pid]) => [part, cpuSecondsOf(pid)] as const);
          return new Map([...others, ["the caller", (user + system) / 1e6]]);
        },
      });
    } finally {
      await floor.stop();
    }
  });
}

async function makeFloorTable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`create schema bench;
    create table bench.rows (id bigint generated always as identity primary key, body jsonb not null)`);
  await client.end();
}

function report(measured: Measured, { seconds, rate, polls, authors }: Load): string {
  const row = (name: string, times: readonly number[]) => {
    const cells = [50, 95, 99].map((percent) => `${percentile(times, percent).toFixed(1)} ms`);
    return `| ${[name, times.length.toLocaleString("en"), ...cells].join(" | ")} |`;
  };
  const { requested, confirmed, onChain } = measured;
  const cpuRow = (name: string, show: (seconds: number) => string) => {
    const each = [...measured.cpuSeconds.values()];
    const together = each.reduce((sum, part) => sum + part, 0);
    return `| ${[name, ...[...each, together].map(show)].join(" | ")} |`;
  };
  return [
    `${machine()}. ${rate} creations a second for ${seconds} s by ${authors} authors, ${polls} states a second ` +
      "read beside them, a block every second.",
    "",
    "| Call | Calls | p50 | p95 | p99 |",
    "| --- | --- | --- | --- | --- |",
    row("floor: one insert through bare Express", measured.times.floor),
    row("POST /assets/", measured.times.create),
    row("GET /transactions/{id}", measured.times.read),
    row("POST /transactions/{id}/submit", measured.times.submit),
    row("GET /assets/{id}/status", measured.times.poll),
    "",
    `| Part | ${[...measured.cpuSeconds.keys()].join(" | ")} | together |`,
    `| --- | ${"--- | ".repeat(measured.cpuSeconds.size + 1)}`.trim(),
    cpuRow("CPU seconds", (seconds) => seconds.toFixed(1)),
    cpuRow("ms for each creation", (seconds) => ((1000 * seconds) / requested).toFixed(1)),
    "",
    `${requested} requested in ${measured.seconds.toFixed(1)} s, ${confirmed} Confirmed, ${onChain} events on the ` +
      `chain for as many ids; the last was Confirmed ${measured.lastConfirmedAfter.toFixed(1)} s after the last ` +
      `request. States were answered at ${Math.round(measured.pollRate)} a second. By quarters of the run, the p95 of ` +
      `POST /assets/ was ${quarters(measured.times.create)} ms: the processes and the database have just started.`,
  ].join("\n");
}

/** The p95 of each quarter of the calls. */
function quarters(times: readonly number[]): string {
  const length = Math.ceil(times.length / 4);
  const parts = [0, 1, 2, 3].map((quarter) => times.slice(quarter * length, (quarter + 1) * length));
  return parts.map((part) => percentile(part, 95).toFixed(0)).join(", ");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
