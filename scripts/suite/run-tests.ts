import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { failureLine, TOTALS_FILE, type Totals } from "../../test/support/runner/totals.ts";

/** On a busy machine the helper processes of a browser may take longer to end than the browser itself. */
const LINGER_MS = 60_000;

export type TestRun = { totals: Promise<Totals>; child: ChildProcess };

/**
 * Runs a test runner that leaves its totals in a file; one that cannot finish counts as one failure.
 * @param output the file that it writes to, in place of ours
 */
export function runTests(
  name: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
  output: number | "inherit" = "inherit",
): TestRun {
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-totals-"));
  const file = join(folder, "totals.json");
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", output, output],
    env: { ...environment, [TOTALS_FILE]: file },
  });
  const lingering = killWhenLingering(child, file);
  const totals = new Promise<Totals>((resolve) => {
    child.once("error", () => {});
    child.once("close", (code, signal) => {
      const stopped = lingering();
      const problem = stopped ?? (signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
      const counted = readTotals(file);
      rmSync(folder, { recursive: true, force: true });
      if (
        counted !== undefined &&
        stopped === undefined &&
        signal === null &&
        (code === 0 || counted.failed > 0)
      )
        return resolve(counted);
      console.error(failureLine(`${name} ${problem}.`));
      resolve({ passed: 0, skipped: 0, ...counted, failed: (counted?.failed ?? 0) + 1 });
    });
  });
  return { totals, child };
}

/** A runner that has all its results and does not end was left something open by a test. */
function killWhenLingering(child: ChildProcess, file: string): () => string | undefined {
  let doneAt: number | undefined;
  let problem: string | undefined;
  const timer = setInterval(() => {
    if (doneAt === undefined && existsSync(file)) doneAt = performance.now();
    if (doneAt === undefined || performance.now() - doneAt < LINGER_MS) return;
    problem = "has run all its tests and does not end: a test left something open";
    child.kill("SIGKILL");
  }, 250);
  return () => {
    clearInterval(timer);
    return problem;
  };
}

function readTotals(file: string): Totals | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Totals;
  } catch {
    return undefined; // it never came to its end
  }
}
