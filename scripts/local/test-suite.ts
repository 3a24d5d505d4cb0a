import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

import { settings } from "../../config.ts";
import type { Totals } from "../../test/support/totals.ts";
import { startPostgres } from "./postgres.ts";
import { onStop } from "./stop-signals.ts";
import type { Suite } from "./suites.ts";
import { runTests } from "./test-run.ts";

const usage = ({ command, about }: Suite) => `Usage: ${command} [-- <file or option of Mocha>…]

${about}
With arguments, only Mocha's, and only the files named: ${command} -- test/domain/state.test.ts.
The last line is "N passed, N failed".`;

const root = join(import.meta.dirname, "..", "..");

/** The tests decide their configuration themselves, whatever the shell holds. */
function testEnvironment(suite: Suite): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.keys(settings)) delete environment[name];
  return { ...environment, ...suite.environment, NODE_ENV: "test" };
}

/** Options alone select from the suite's files; Mocha would add the files named to a list of its configuration. */
function filesUnlessNamed(suite: Suite, args: string[]): string[] {
  const named = args.some((arg) => !arg.startsWith("-") && (arg.endsWith(".ts") || existsSync(arg)));
  return named ? [] : [...suite.files, ...suite.ignored.map((pattern) => `--ignore=${pattern}`)];
}

/** The processes at work, which end when this one is told to. */
type Work = { add(child: ChildProcess): void; stoppedBy(): NodeJS.Signals | undefined };

function stoppableWork(): Work {
  const running = new Set<ChildProcess>();
  let stoppedBy: NodeJS.Signals | undefined;
  onStop((signal) => {
    stoppedBy = signal;
    for (const child of running) {
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 3_000).unref();
    }
  });
  return {
    stoppedBy: () => stoppedBy,
    add(child) {
      running.add(child);
      child.once("close", () => running.delete(child));
    },
  };
}

async function compile(environment: NodeJS.ProcessEnv, work: Work): Promise<boolean> {
  const build = spawn(process.execPath, [join(root, "scripts", "build.ts")], {
    stdio: "inherit",
    env: environment,
  });
  work.add(build);
  return await new Promise((resolve) => {
    build.once("error", () => resolve(false));
    build.once("close", (code) => resolve(code === 0));
  });
}

async function runAll(suite: Suite, args: string[], work: Work): Promise<Totals[]> {
  const environment = testEnvironment(suite);
  const run = (name: string, runnerArgs: string[], env = environment): Promise<Totals> => {
    const { totals, child } = runTests(name, runnerArgs, env);
    work.add(child);
    return totals;
  };
  const [compiled, cluster] = await Promise.allSettled([
    compile(environment, work),
    startPostgres({ ephemeral: true }),
  ]);
  if (cluster.status === "rejected") throw cluster.reason;
  const results: Totals[] = [];
  try {
    if (work.stoppedBy() !== undefined) return [];
    if (compiled.status === "rejected") throw compiled.reason;
    if (!compiled.value) return [{ passed: 0, failed: 1, skipped: 0 }];
    const mocha = join(
      dirname(createRequire(import.meta.url).resolve("mocha/package.json")),
      "bin",
      "mocha.js",
    );
    const flags = ["--reporter", join(root, "test", "support", "reporter.ts")];
    if (process.env["CI"]) flags.push("--forbid-pending");
    const files = filesUnlessNamed(suite, args);
    const withDatabase = { ...environment, TEST_DATABASE_URL: cluster.value.adminUrl };
    results.push(await run("Mocha", [mocha, ...flags, ...args, ...files], withDatabase));
    if (suite.solidity !== undefined && args.length === 0 && work.stoppedBy() === undefined) {
      const runner = join(root, "test", "support", "solidity.ts");
      results.push(await run("The runner of the Solidity tests", [runner, suite.solidity]));
    }
  } finally {
    await cluster.value.stop();
  }
  return results;
}

async function main(suite: Suite, args: string[]): Promise<number> {
  const work = stoppableWork();
  const results = await runAll(suite, args, work).catch((error: unknown) => {
    // What was just starting may fail by the same signal.
    if (work.stoppedBy() === undefined) throw error;
    return [];
  });
  const signal = work.stoppedBy();
  if (signal === undefined) return report(results);
  console.log("\nStopped before the end.");
  return 128 + constants.signals[signal];
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

/** Runs the tests of a suite, or those that the arguments select, and sets the exit code. */
export async function runSuite(suite: Suite, args: string[]): Promise<void> {
  if (args.includes("--help")) {
    console.log(usage(suite));
    return;
  }
  process.chdir(root);
  try {
    process.exitCode = await main(suite, args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
