import { parseArgs } from "node:util";

import { build } from "./build.ts";

const usage = `Usage: npm run torture [-- --kills <200> --events <2000> --seed <number>]

Two indexers follow a chain on which events happen at random, and the one that writes is ended by kill -9
again and again. At the end the index must equal what the chain says, and no two may have written at once.
The seed is printed; the same one makes the same events and chooses the same moments.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    events: { type: "string", default: "2000" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) console.log(usage);
else {
  await build();
  const { torture } = await import("../test/simulation/torture.ts");
  const { randomSeed } = await import("../test/simulation/random.ts");
  const seed = values.seed === undefined ? randomSeed() : wholeNumber("seed", values.seed);
  console.log(`seed ${seed}`);
  const since = performance.now();
  const { problems, ...result } = await torture({
    seed,
    kills: wholeNumber("kills", values.kills),
    events: wholeNumber("events", values.events),
    say: console.log,
  });
  for (const problem of problems) console.log(problem);
  const seconds = Math.round((performance.now() - since) / 1000);
  console.log(
    `${result.kills} kills in a run of ${result.events} events, ${result.takeovers} writers one after the other, ` +
      `longest takeover ${result.longestTakeoverMs} ms, ${seconds} s: ` +
      (problems.length === 0 ? "the index equals the chain" : `${problems.length} problems`),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number, not ${text}`);
  process.exit(1);
}
