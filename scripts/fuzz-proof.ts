import { parseArgs } from "node:util";
import { wholeNumber } from "./terminal/whole-number.ts";

const usage = `Usage: npm run fuzz:proof [-- --mutations <1000000> --seed <number>]

Verifies proofs of a block after mutations of every kind: other bits, members, nodes and texts, parts of other proofs,
forgeries whose hashes fit. None may be valid unless what it says is true at the block, and what means the same must
stay valid. The seed, which is printed, decides all mutations.`;

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "1000000" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) console.log(usage);
else {
  const { fuzzProofs } = await import("../test/proof/fuzz/fuzz.ts");
  const { randomSeed } = await import("../test/simulation/random.ts");
  const seed = values.seed === undefined ? randomSeed() : wholeNumber("seed", values.seed);
  console.log(`seed ${seed}`);
  const since = performance.now();
  const report = await fuzzProofs({
    seed,
    mutations: wholeNumber("mutations", values.mutations),
    say: console.log,
  });
  for (const problem of report.problems) console.log(problem);
  for (const [verdict, times] of [...report.verdicts].sort()) console.log(`${verdict}, ${times} times`);
  for (const [code, times] of [...report.codes].sort(([, a], [, b]) => b - a))
    console.log(`${code}: ${times}`);
  const seconds = Math.round((performance.now() - since) / 1000);
  const { problems, mutations, slowest } = report;
  console.log(
    `seed ${seed}: ${mutations} mutations in ${seconds} s, slowest ${Math.round(slowest)} ms: ` +
      (problems.length === 0 ? "none wrong" : `${problems.length} wrong`),
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
