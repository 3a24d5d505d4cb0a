import hardhat from "hardhat";

import { failureLine, writeTotals } from "./totals.ts";

/**
 * The tests written in Solidity, run by Hardhat by the profile of argv[2]: all, or those whose names match argv[3].
 * The contracts are compiled.
 */
const [, , testProfile = "default", grep] = process.argv;

type Suite = { testResults: readonly { status: string; name: string }[] };
type Result =
  | { success: true; value: { suiteResults: Suite[] } }
  | { success: false; error: { suiteResults: Suite[] } };

const result: Result = await hardhat.tasks.getTask(["test", "solidity"]).run({
  noCompile: true,
  testProfile,
  grep,
});
// Hardhat's own summary is made by its printer, and is empty when that is read too soon.
const { suiteResults } = result.success ? result.value : result.error;
for (const { status, name } of suiteResults.flatMap(({ testResults }) => testResults)) {
  if (status === "Failure") console.log(failureLine(name));
}
const count = (...statuses: string[]) =>
  suiteResults.flatMap(({ testResults }) => testResults).filter(({ status }) => statuses.includes(status))
    .length;
writeTotals({ passed: count("Success"), failed: count("Failure"), skipped: count("Skipped") });
if (!result.success) process.exitCode = 1;
