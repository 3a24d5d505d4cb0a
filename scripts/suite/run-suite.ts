import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { settings } from "../../config.ts";
import { failureLine, type Totals } from "../../test/support/runner/totals.ts";
import { sourceCondition } from "../checks/workspaces.ts";
import {
  type DatabaseKind,
  databaseKind,
  NotInstalledError,
  startTestServer,
  type TestServer,
} from "./databases.ts";
import { runTests } from "./run-tests.ts";
import { shardsOf } from "./shards.ts";
import { stoppableWork, type Work } from "./stoppable-work.ts";
import type { Suite } from "./suites.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const usage = ({ command, about }: Suite) => `Usage: ${command} [-- <file or option of Mocha>…]

${about}
With arguments, only Mocha's, and only the files named: ${command} -- test/domain/request/state.test.ts.
The last line is "N passed, N failed".`;

const root = join(import.meta.dirname, "..", "..");
const mocha = join(dirname(createRequire(import.meta.url).resolve("mocha/package.json")), "bin", "mocha.js");
const fromSource = `--conditions=${sourceCondition}`;

/** A suite that is being run. */
type Running = { suite: Suite; work: Work; environment: NodeJS.ProcessEnv };

/** The tests decide their configuration themselves, whatever the shell holds. */
function testEnvironment(suite: Suite): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of Object.keys(settings)) delete environment[name];
  return { ...environment, ...suite.environment, NODE_ENV: "test" };
}

async function compile({ environment, work }: Running): Promise<boolean> {
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

/** Runs Mocha on a database of that kind: once for each of `shards`, at the same time. */
async function runMocha(
  { suite, work, environment }: Running,
  kind: DatabaseKind,
  args: string[],
  shards: string[][] = [[]],
): Promise<Totals | undefined> {
  let server: TestServer;
  try {
    server = await startTestServer(kind);
  } catch (error) {
    if (!(error instanceof NotInstalledError)) throw error;
    console.log(`\nNot run on a PostgreSQL of this kind (${kind}): ${error.message}.`);
    // Where everything must be run, that is a failure.
    return process.env["CI"] ? failure : { passed: 0, failed: 0, skipped: 1 };
  }
  try {
    if (work.stoppedBy() !== undefined) return undefined;
    if (suite.onOtherDatabases !== undefined) console.log(`\nOn ${server.about}:`);
    const flags = ["--reporter", join(root, "test", "support", "runner", "reporter.ts")];
    if (process.env["CI"]) flags.push("--forbid-pending");
    const onServer = { ...environment, ...server.environment };
    const totals = await Promise.all(
      shards.map((files, index) =>
        // One is shown as it goes on; what the others say would be mixed up with it, and comes behind.
        runInFolder("Mocha", [fromSource, mocha, ...flags, ...args, ...files], work, onServer, index > 0),
      ),
    );
    return sumOf(totals);
  } finally {
    await server.stop();
  }
}

const failure: Totals = { passed: 0, failed: 1, skipped: 0 };

function runSolidity({ suite, work, environment }: Running, profile: string): Promise<Totals> {
  const runner = join(root, "test", "support", "runner", "solidity.ts");
  const name = "The runner of the Solidity tests";
  return runInFolder(name, [runner, profile], work, environment, suite.sideBySide);
}

/** Runs a test runner; what its tests leave in the temporary folder counts as one failure. */
async function runInFolder(
  name: string,
  args: string[],
  work: Work,
  environment: NodeJS.ProcessEnv,
  shownAtTheEnd = false,
): Promise<Totals> {
  const folder = temporaryFolder();
  const inFolder = { ...environment, ...folder.environment };
  const held = shownAtTheEnd ? heldOutput() : undefined;
  const { totals, child } = runTests(name, args, inFolder, held?.file);
  work.add(child);
  const counted = await totals;
  held?.show();
  const left = await folder.remove();
  if (left.length === 0) return counted;
  console.log(failureLine(`left behind in the temporary folder: ${left.join(", ")}`));
  return { ...counted, failed: counted.failed + 1 };
}

/** A file for what a process says while others speak. */
function heldOutput(): { file: number; show(): void } {
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-output-"));
  const path = join(folder, "output");
  const file = openSync(path, "w");
  return {
    file,
    show() {
      closeSync(file);
      process.stdout.write(readFileSync(path));
      rmSync(folder, { recursive: true });
    },
  };
}

/** Mocha would add the files named to a list of its configuration; options alone select from the suite's files. */
const namesFiles = (args: string[]) =>
  args.some((arg) => !arg.startsWith("-") && (arg.endsWith(".ts") || existsSync(arg)));

async function runAll(running: Running, args: string[]): Promise<Totals[]> {
  const { suite, work } = running;
  const results: Totals[] = [];
  /** Unless everything was stopped. */
  const take = async (...next: (() => Promise<Totals | undefined>)[]) => {
    if (work.stoppedBy() !== undefined) return;
    const totals = await Promise.all(next.map((run) => run()));
    results.push(...totals.filter((one) => one !== undefined));
  };
  if (!(await compile(running))) return [failure];
  if (namesFiles(args)) {
    await take(() => runMocha(running, databaseKind(process.env["TEST_DATABASE"]), args));
    return results;
  }
  const { solidity: profile, sideBySide } = suite;
  const solidity = profile !== undefined && args.length === 0 ? [() => runSolidity(running, profile)] : [];
  await take(() => runMocha(running, "embedded", args, shardsOf(suite)), ...(sideBySide ? solidity : []));
  const again = suite.onOtherDatabases;
  if (again !== undefined) {
    await take(() => runMocha(running, "installed", [...args, ...again]));
    await take(() => runMocha(running, "pooled", [...args, ...again]));
  }
  if (!sideBySide) await take(...solidity);
  return results;
}

async function main(suite: Suite, args: string[]): Promise<number> {
  const work = stoppableWork();
  const running = { suite, work, environment: testEnvironment(suite) };
  const results = await runAll(running, args).catch((error: unknown) => {
    // A part that was just starting may fail by the same signal.
    if (work.stoppedBy() === undefined) throw error;
    return [];
  });
  const signal = work.stoppedBy();
  if (signal === undefined) return report(results);
  console.log("\nStopped before the end.");
  return 128 + constants.signals[signal];
}

function sumOf(all: Totals[]): Totals {
  const sum = (name: keyof Totals) => all.reduce((total, totals) => total + totals[name], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

function report(results: Totals[]): number {
  const { passed, failed, skipped } = sumOf(results);
  // One of several that finds nothing is a mistake, and must not hide behind the others.
  const idle = results.some((totals) => totals.passed + totals.failed + totals.skipped === 0);
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
