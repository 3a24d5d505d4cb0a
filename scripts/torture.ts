import { parseArgs } from "node:util";

import { build } from "./build.ts";
import { wholeNumber } from "./terminal/whole-number.ts";

const usage = `Usage: npm run torture [-- --kills <200> --events <2000> --seed <number>]
       npm run torture -- --service [--kills <200> --seed <number>]

Two indexers follow a chain on which events happen at random, and the one that writes is ended by kill -9
again and again. At the end the index must equal what the chain says, and no two may have written at once.
With --service, API and indexer are ended while customers hand in signed transactions, and blocks are lost: at
the end each transaction must be on the chain once, and Confirmed. The seed is printed; the same one makes the same events and chooses the same moments.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    events: { type: "string", default: "2000" },
    seed: { type: "string" },
    service: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) console.log(usage);
else {
  await build();
  const { randomSeed } = await import("../test/simulation/random.ts");
  const seed = values.seed === undefined ? randomSeed() : wholeNumber("seed", values.seed);
  const kills = wholeNumber("kills", values.kills);
  console.log(`seed ${seed}`);
  const since = performance.now();
  const { problems, summary } = values.service
    ? await endService(seed, kills)
    : await endIndexers(seed, kills);
  for (const problem of problems) console.log(problem);
  const seconds = Math.round((performance.now() - since) / 1000);
  const verdict = values.service ? "everything is on the chain once" : "the index equals the chain";
  console.log(`${summary}, ${seconds} s: ${problems.length === 0 ? verdict : `${problems.length} problems`}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

type Outcome = { problems: string[]; summary: string };

async function endIndexers(seed: number, kills: number): Promise<Outcome> {
  const { torture } = await import("../test/simulation/torture.ts");
  const events = wholeNumber("events", values.events);
  const { problems, ...result } = await torture({ seed, kills, events, say: console.log });
  const summary =
    `${result.kills} kills in a run of ${result.events} events, ${result.takeovers} writers one after the other, ` +
    `longest takeover ${result.longestTakeoverMs} ms`;
  return { problems, summary };
}

async function endService(seed: number, kills: number): Promise<Outcome> {
  const { crash } = await import("../test/simulation/crash.ts");
  const { problems, ...result } = await crash({ seed, kills, say: console.log });
  return { problems, summary: `${result.kills} kills, ${result.requests} requests, ${result.reorgs} reorgs` };
}
