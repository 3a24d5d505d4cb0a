import { join } from "node:path";

import { type Check, program, runCheck, solidityFiles } from "./checks/run-check.ts";
import { sourceCondition, workspaces } from "./checks/workspaces.ts";

const usage = `Usage: npm run check

Checks format, lint and types of everything, which folder imports which, and the time of regular expressions, in
seconds; the tests are \`npm test\`. Prints the whole output of what fails. \`npm run format\` puts the format right.`;

const checks: Check[] = [
  {
    name: "format and lint of TypeScript",
    commands: [
      [program("@biomejs/biome", "biome"), "check", "--error-on-warnings", "--max-diagnostics=none", "."],
    ],
  },
  { name: "format of Solidity", commands: [[program("prettier"), "--check", ...solidityFiles]] },
  {
    name: "lint of Solidity",
    commands: [[program("solhint"), "--noPoster", "--disc", "--max-warnings", "0", "contracts/**/*.sol"]],
  },
  {
    name: "time of patterns",
    commands: [
      ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "checks", "check-patterns.ts")],
    ],
  },
  { name: "imports between folders", commands: [[join(import.meta.dirname, "checks", "check-folders.ts")]] },
  {
    name: "types",
    // The types of the contracts are made by the compiler.
    commands: [
      [join(import.meta.dirname, "build.ts"), "--no-console"],
      [program("typescript", "tsc"), "--project", "."],
      // One workspace reads another one's sources here, and what is built of them where it is installed.
      ...workspaces.map((folder) => [
        ...[program("typescript", "tsc"), "--project", folder, "--noEmit"],
        ...["--rootDir", ".", "--customConditions", sourceCondition],
      ]),
    ],
  },
];

async function main(): Promise<void> {
  const verdicts = await Promise.all(
    checks.map(async (check) => {
      const { passed, output, seconds } = await runCheck(check);
      console.log(`${passed ? "ok    " : "FAILED"} ${check.name} (${seconds.toFixed(1)} s)`);
      return { name: check.name, passed, output };
    }),
  );
  const failed = verdicts.filter(({ passed }) => !passed);
  for (const { name, output } of failed) console.log(`\n${name}:\n\n${output}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

if (process.argv.includes("--help")) console.log(usage);
else await main();
