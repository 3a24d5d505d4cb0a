import { parseArgs } from "node:util";

import { build } from "./build.ts";
import { wholeNumber } from "./terminal/whole-number.ts";

const usage = `Usage: npm run fuzz [-- --requests <100000> --seed <number>]

Sends hostile requests, made from the OpenAPI document and bent at random, to a whole service of its own: two tenants,
chain, indexer and database. Each answer must be one that the document describes, none a failure of ours, and none
may hold anything of the other tenant. The seed, which is printed, decides what is asked; ids come from answers.`;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) console.log(usage);
else {
  await build();
  const { fuzz } = await import("../test/fuzz/fuzz.ts");
  const { randomSeed } = await import("../test/simulation/random.ts");
  const seed = values.seed === undefined ? randomSeed() : wholeNumber("seed", values.seed);
  console.log(`seed ${seed}`);
  const since = performance.now();
  const { problems, requests, statuses, rssMiB, slowest } = await fuzz({
    seed,
    requests: wholeNumber("requests", values.requests),
    say: console.log,
  });
  for (const problem of problems) console.log(problem);
  const seconds = Math.round((performance.now() - since) / 1000);
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(
    `seed ${seed}: ${requests} requests in ${seconds} s, slowest ${Math.round(slowest)} ms, memory ${rssMiB[0]} MiB ` +
      `after a tenth and ${rssMiB[1]} MiB at the end; answers ${counts.join(", ")}: ` +
      (problems.length === 0 ? "none wrong" : `${problems.length} wrong`),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
