import type { ChildProcess } from "node:child_process";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

import { settings } from "../config.ts";
import type { Totals } from "../test/support/totals.ts";
import { startPostgres } from "./local/postgres.ts";
import { onStop } from "./local/stop-signals.ts";
import { runTests } from "./local/test-run.ts";

const usage = `Usage: npm test [-- <file or option of Mocha>…]

Runs every test: Mocha's in test/, then those in Solidity. With arguments, only Mocha's, and only
the files named: npm test -- test/domain/state.test.ts. The last line is "N passed, N failed".`;

const root = join(import.meta.dirname, "..");

/** The tests decide their configuration themselves, whatever the shell holds. */
function testEnvironment(): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.keys(settings)) delete environment[name];
  return { ...environment, NODE_ENV: "test" };
}

/** Options alone select from all files; Mocha would add the files named to a list of its configuration. */
function allFilesUnlessNamed(args: string[]): string[] {
  const named = args.some((arg) => !arg.startsWith("-") && (arg.endsWith(".ts") || existsSync(arg)));
  return named ? [] : ["test/**/*.test.ts"];
}

async function main(args: string[]): Promise<number> {
  const environment = testEnvironment();
  const running = new Set<ChildProcess>();
  let stoppedBy: NodeJS.Signals | undefined;
  onStop((signal) => {
    stoppedBy = signal;
    for (const child of running) {
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 3_000).unref();
    }
  });

  const run = async (name: string, runnerArgs: string[], env = environment): Promise<Totals> => {
    const { totals, child } = runTests(name, runnerArgs, env);
    running.add(child);
    return totals.finally(() => running.delete(child));
  };

  const cluster = startPostgres({ ephemeral: true });
  cluster.catch(() => {}); // awaited below
  const build = spawnSync(process.execPath, [join(root, "scripts", "build.ts")], {
    stdio: "inherit",
    env: environment,
  });
  const postgres = await cluster;
  const results: Totals[] = [];
  try {
    if (build.status !== 0) results.push({ passed: 0, failed: 1, skipped: 0 });
    else {
      const mocha = join(
        dirname(createRequire(import.meta.url).resolve("mocha/package.json")),
        "bin",
        "mocha.js",
      );
      const flags = [
        "--reporter",
        join(root, "test", "support", "reporter.ts"),
        ...(process.env["CI"] ? ["--forbid-pending"] : []),
      ];
      results.push(
        await run("Mocha", [mocha, ...flags, ...args, ...allFilesUnlessNamed(args)], {
          ...environment,
          TEST_DATABASE_URL: postgres.adminUrl,
        }),
      );
      if (args.length === 0 && stoppedBy === undefined) {
        results.push(
          await run("The runner of the Solidity tests", [join(root, "test", "support", "solidity.ts")]),
        );
      }
    }
  } finally {
    await postgres.stop();
  }
  if (stoppedBy !== undefined) {
    console.log("\nStopped before the end.");
    return 128 + constants.signals[stoppedBy];
  }
  return report(results);
}

function report(results: Totals[]): number {
  const sum = (name: keyof Totals) => results.reduce((total, totals) => total + totals[name], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  // One of the two that finds nothing is a mistake, and must not hide behind the other.
  const idle = results.some((totals) => totals.passed + totals.failed === 0);
  if (idle) console.log(results.length > 1 ? "One of the runners found no test." : "No test was run.");
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 || passed === 0 || idle ? 1 : 0;
}

const args = process.argv.slice(2);
if (args.includes("--help")) console.log(usage);
else {
  process.chdir(root);
  try {
    process.exitCode = await main(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
