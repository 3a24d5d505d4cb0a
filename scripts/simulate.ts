import { parseArgs } from "node:util";

import { build } from "./build.ts";
import { wholeNumber } from "./terminal/whole-number.ts";

const usage = `Usage: npm run simulate [-- --blocks <2000> --seed <number>]

A chain with several authors, reorgs, a node that fails or lies, a database that breaks connections, kills and
restarts, all at random from a seed, which is printed. While it runs the rules that always hold are checked;
at the end the index must equal the chain, and one that is built from nothing.
The seed decides what happens on the chain; when it meets the indexer depends on the machine too.`;

const { values } = parseArgs({
  options: {
    blocks: { type: "string", default: "2000" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) console.log(usage);
else {
  await build();
  const { simulate } = await import("../test/simulation/simulate.ts");
  const { randomSeed } = await import("../test/simulation/random.ts");
  const seed = values.seed === undefined ? randomSeed() : wholeNumber("seed", values.seed);
  console.log(`seed ${seed}`);
  const since = performance.now();
  const { problems, ...counts } = await simulate({
    seed,
    blocks: wholeNumber("blocks", values.blocks),
    say: console.log,
  });
  for (const problem of problems) console.log(problem);
  const seconds = Math.round((performance.now() - since) / 1000);
  console.log(
    `seed ${seed}: ${counts.blocks} blocks, ${counts.events} events, ${counts.requests} requests, ` +
      `${counts.reorgs} reorgs up to ${counts.deepest} deep, ${counts.kills} kills, ${counts.nodeFaults} faults of ` +
      `the node, ${counts.databaseFaults} of the database, ${seconds} s: ` +
      (problems.length === 0 ? "equal" : `${problems.length} problems`),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
