import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { startIdentityProvider } from "../local/identity-provider.ts";
import { createCaller } from "./caller.ts";
import { document, seededRandom } from "./documents.ts";
import { type Flood, type FloodPlace, floods } from "./floods/kinds.ts";
import { machine, percentile } from "./measure.ts";
import { rewriteSection } from "./performance-doc.ts";
import { type WholeService, withWholeService } from "./whole-service.ts";

const usage = `Usage: npm run bench:floods [-- <option>…]

Lets one tenant, or somebody without a key, flood the service in each way that is known, while another tenant
creates, reads and lists at a steady rate. Limits are those of a default installation. Compares each time with
that of the quiet minutes before and after.

  --seconds 60       of each flood, and of each quiet stretch
  --only <names>     some floods, separated by commas: ${Object.keys(floods).join(", ")}
  --write            puts the table into docs/performance.md
`;

const keys = { quiet: "key-of-the-quiet-tenant-0123456789", loud: "key-of-the-loud-tenant-01234567890" };
const relayerKey = generatePrivateKey();

/** Who signs nothing here: what is measured ends with the request. */
const authors = Array.from({ length: 50 }, () => `0x${randomBytes(20).toString("hex")}`);

type Calls = "create" | "read" | "list";
type Times = Record<Calls, number[]>;
type Stretch = { name: string; times: Times; failures: string[]; flood?: Map<string, number> };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      only: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const seconds = Number(values.seconds);
  const { only } = values;
  const chosen = Object.entries(floods).filter(
    ([name]) => only === undefined || only.split(",").includes(name),
  );
  if (!(seconds > 0) || chosen.length === 0) throw new Error(`An option is wrong.\n\n${usage}`);
  const provider = await startIdentityProvider({ port: 0, audience: "asset-registry" });
  try {
    const environment = {
      API_KEYS: `quiet:${keys.quiet},loud:${keys.loud}`,
      OIDC_ISSUER: provider.issuer,
      RELAYER_KEY: relayerKey,
      RATE_LIMIT: "6000",
      RATE_LIMIT_ADDRESS: "600",
      MAX_OPEN_REQUESTS: "10000",
    };
    const stretches = await withWholeService({ name: "floods", environment }, (service) =>
      run(service, provider.issuer, chosen, seconds),
    );
    const text = report(stretches, seconds);
    console.log(`\n${text}`);
    if (values.write) await rewriteSection("floods", text);
  } finally {
    await provider.stop();
  }
}

async function run(
  service: WholeService,
  issuer: string,
  chosen: [string, Flood][],
  seconds: number,
): Promise<Stretch[]> {
  const place: FloodPlace = { ...service, issuer, key: keys.loud };
  await service.anvil.rpc("anvil_setBalance", [privateKeyToAddress(relayerKey), "0x8ac7230489e80000"]);
  const stretches: Stretch[] = [];
  // New processes and connections are slow for half a minute.
  await quietly(service, "warm-up", Math.min(seconds, 30));
  stretches.push(await quietly(service, "quiet, before", seconds));
  for (const [name, prepare] of chosen) {
    console.log(`${name} …`);
    const flood = await prepare(place);
    const end = new AbortController();
    const counts = new Map<string, number>();
    const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const flooding = flood(end.signal, count);
    const stretch = await quietly(service, name, seconds);
    end.abort();
    await flooding;
    stretches.push({ ...stretch, flood: counts });
    // Its backlog counts in the measurement that follows.
    await sleep(2_000);
  }
  stretches.push(await quietly(service, "quiet, after", seconds));
  return stretches;
}

/** Load of the quiet tenant: five creations, ten reads and two lists a second, however slow the answers. */
async function quietly({ apiUrl }: WholeService, name: string, seconds: number): Promise<Stretch> {
  const { ask, close } = createCaller(50);
  const headers = { "x-api-key": keys.quiet, "content-type": "application/json" };
  const random = seededRandom(7);
  const times: Times = { create: [], read: [], list: [] };
  const failures: string[] = [];
  const ids: string[] = [];
  const working: Promise<void>[] = [];

  async function timed(of: Calls, method: string, path: string, body?: object): Promise<string> {
    const begin = performance.now();
    const { status, text } = await ask(method, apiUrl + path, headers, body && JSON.stringify(body));
    times[of].push(performance.now() - begin);
    if (status >= 300) throw new Error(`${of}: ${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`);
    return text;
  }
  const calls: [perSecond: number, call: () => Promise<void>][] = [
    [
      5,
      async () => {
        const author = authors[ids.length % authors.length];
        const body = { ...document(random), author };
        ids.push(JSON.parse(await timed("create", "POST", "/assets/", body)).value.id);
      },
    ],
    [
      10,
      async () => {
        const id = ids[Math.floor(random() * ids.length)];
        if (id !== undefined) await timed("read", "GET", `/assets/${id}`);
      },
    ],
    [2, async () => void (await timed("list", "GET", "/assets/?size=20"))],
  ];
  await Promise.all(
    calls.map(async ([perSecond, call]) => {
      const begin = performance.now();
      for (let made = 0; made < perSecond * seconds; made += 1) {
        await sleep(Math.max(0, begin + (made * 1000) / perSecond - performance.now()));
        working.push(call().catch((error: Error) => void failures.push(error.message)));
      }
    }),
  );
  await Promise.all(working);
  close();
  return { name, times, failures };
}

function report(stretches: readonly Stretch[], seconds: number): string {
  const quiet = stretches.filter(({ flood }) => flood === undefined);
  const p95 = (part: readonly Stretch[], of: Calls) =>
    percentile(
      part.flatMap(({ times }) => times[of]),
      95,
    );
  const cell = (stretch: Stretch, of: Calls) => {
    const value = p95([stretch], of);
    return `${value.toFixed(1)} ms (${(value / p95(quiet, of)).toFixed(1)})`;
  };
  const rows = stretches.map((stretch) => {
    const flood = [...(stretch.flood ?? [])].map(([what, times]) => `${times} × ${what}`).join(", ");
    const cells = (["create", "read", "list"] as const).map((of) => cell(stretch, of));
    return `| ${[stretch.name, ...cells, stretch.failures.length, flood].join(" | ")} |`;
  });
  const failed = [...new Set(stretches.flatMap(({ failures }) => failures))];
  return [
    `${machine()}. ${seconds} s of each flood. p95 of the other tenant's calls, and beside it how many times that ` +
      "of the two quiet stretches together.",
    "",
    "| Flood | create | read | list | failed | What it sent, by answer |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    ...(failed.length > 0 ? ["", `Failed: ${failed.join("; ")}.`] : []),
  ].join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
