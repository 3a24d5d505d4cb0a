import { parseArgs } from "node:util";
import type { PrivateKeyAccount } from "viem/accounts";
import { type Lap, runLap } from "./events/laps.ts";
import { measureLogCost } from "./events/log-cost.ts";
import { heading, logTable, readersTable, speedsTable, toldTable } from "./events/report.ts";
import { type Counts, idleStreams, scenariosOf, tenantOf, tenantsOf } from "./events/scenarios.ts";
import { measureSpeeds } from "./events/speeds.ts";
import { measureTold } from "./events/told-cost.ts";
import { rewriteSection } from "./performance-doc.ts";
import { fundAuthors } from "./registration.ts";
import { type WholeService, withWholeService } from "./whole-service.ts";

const usage = `Usage: npm run bench:events [-- <option>…]

Registers assets at a steady rate through the whole service, and measures how soon readers are told of each event:
streams, webhooks, and pollers beside them. Then what an event costs the API by the number of its streams, how fast the
API answers while streams are idle, and what the log costs the transactions that write it.

  --seconds 10       of each lap of registrations; the other turns take a fifth
  --rate 50          registrations a second
  --rounds 3         laps of each kind, taken in turn
  --streams 1,100,1000   numbers of streams
  --webhooks 100     webhooks, each of a tenant, for request.Confirmed
  --writers 1,8,32   writers of the database at once
  --write            puts the tables into docs/performance.md
`;

type Load = { seconds: number; rate: number; rounds: number };

const tell = (what: string) => process.stderr.write(`  ${what}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "10" },
      rate: { type: "string", default: "50" },
      rounds: { type: "string", default: "3" },
      streams: { type: "string", default: "1,100,1000" },
      webhooks: { type: "string", default: "100" },
      writers: { type: "string", default: "1,8,32" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [seconds, rate, rounds, webhooks] = [values.seconds, values.rate, values.rounds, values.webhooks].map(
    Number,
  ) as [number, number, number, number];
  const [streams, writers] = [values.streams, values.writers].map((list) => list.split(",").map(Number)) as [
    number[],
    number[],
  ];
  const numbers = [seconds, rate, rounds, webhooks, ...streams, ...writers];
  if (!numbers.every((number) => number > 0) || Math.max(...streams) > 2_000) {
    throw new Error(
      `--seconds, --rate, --rounds, --streams (2000 at most), --webhooks and --writers take numbers.\n\n${usage}`,
    );
  }
  const load = { seconds, rate, rounds };
  const { laps, told, speeds } = await withService({ streams, webhooks }, load);
  const short = { seconds: seconds / 5, rounds };
  const costs = await measureLogCost({ ...short, writers }, (done) => tell(`log: ${done}`));
  const text = [
    heading(rate, seconds, rounds),
    ...["", ...readersTable(laps)],
    ...["", ...toldTable(told)],
    ...["", ...speedsTable(speeds)],
    ...["", ...logTable(costs)],
  ].join("\n");
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("events", text);
}

async function withService(counts: Counts, load: Load) {
  const tenants = Array.from({ length: tenantsOf(counts) }, (_, nth) => tenantOf(nth));
  const environment = {
    API_KEYS: tenants.map(({ tenant, key }) => `${tenant}:${key}`).join(),
    MAX_STREAMS: "5000",
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  };
  const server = { track_commit_timestamp: "on" };
  return await withWholeService({ name: "events", environment, server }, async (service) => {
    const authors = await fundAuthors(service.anvil, 200);
    const { laps, ids } = await runLaps(service, authors, counts, load);
    const short = { seconds: load.seconds / 5, rounds: load.rounds };
    const open = (count: number, kinds?: string[]) => idleStreams(count, tenants.length, kinds);
    const told = await measureTold(
      service,
      [0, ...counts.streams].map((count) => open(count, ["asset"])),
      short,
      tell,
    );
    const idle = [0, ...counts.streams.filter((count) => count > 1)].map((count) => open(count));
    const speeds = await measureSpeeds(service, tenantOf(0).key, ids, idle, short, tell);
    return { laps, told, speeds };
  });
}

async function runLaps(
  service: WholeService,
  authors: readonly PrivateKeyAccount[],
  counts: Counts,
  { rounds, ...load }: Load,
) {
  tell("warm-up");
  const [first] = scenariosOf(counts, []);
  if (first === undefined) throw new Error("There is nothing to measure");
  const { ids } = await runLap(service, authors, first, load);
  const laps = new Map<string, Lap[]>();
  for (let round = 1; round <= rounds; round += 1) {
    const scenarios = scenariosOf(counts, ids);
    for (const scenario of scenarios) {
      tell(`round ${round} of ${rounds}: ${scenario.name}`);
      const lap = await runLap(service, authors, scenario, load);
      laps.set(scenario.name, [...(laps.get(scenario.name) ?? []), lap]);
    }
  }
  return { laps, ids };
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
