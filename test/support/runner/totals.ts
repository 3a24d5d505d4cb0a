import { writeFileSync } from "node:fs";

/** How many tests passed, failed and were skipped; handed from a runner to `npm test` through a file. */
export type Totals = { passed: number; failed: number; skipped: number };

/** One line for each failure, which `.ci/run` collects and repeats at its end. */
export function failureLine(what: string, problem = ""): string {
  const [first = ""] = problem.split("\n");
  return `failed: ${what}${first === "" ? "" : `: ${first.slice(0, 500)}`}`;
}

export const TOTALS_FILE = "TOTALS_FILE";

export function writeTotals(totals: Totals): void {
  const file = process.env[TOTALS_FILE];
  if (file) writeFileSync(file, JSON.stringify(totals));
}
