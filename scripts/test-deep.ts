import hardhat from "hardhat";
import { build } from "./build.ts";

const usage = `Usage: npm run test:deep

The tests in Solidity once more, with far more runs: 200,000 for each fuzz test, 500 sequences of 500 calls for
each invariant. Takes an hour or more; \`npm test\` runs the same tests in a few minutes.`;

if (process.argv.includes("--help")) console.log(usage);
else {
  process.chdir(new URL("..", import.meta.url).pathname);
  await build();
  const task = hardhat.tasks.getTask(["test", "solidity"]);
  const { success } = await task.run({ noCompile: true, testProfile: "deep" });
  if (!success) process.exitCode = 1;
}
