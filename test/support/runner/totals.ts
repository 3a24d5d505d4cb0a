import { writeFileSync } from "node:fs";

/** How many tests passed, failed and were skipped; handed from a runner to `npm test` through a file. */
export type Totals = { passed: number; failed: number; skipped: number };

export const TOTALS_FILE = "TOTALS_FILE";

export function writeTotals(totals: Totals): void {
  const file = process.env[TOTALS_FILE];
  if (file) writeFileSync(file, JSON.stringify(totals));
}
