import hardhat from "hardhat";

import { writeTotals } from "./totals.ts";

/** The tests written in Solidity, run by Hardhat. The contracts are compiled already. */

type Outcome = { summary: { passed: number; failed: number; skipped: number } };
type Result = { success: true; value: Outcome } | { success: false; error: Outcome };

const result: Result = await hardhat.tasks.getTask(["test", "solidity"]).run({ noCompile: true });
const { passed, failed, skipped } = (result.success ? result.value : result.error).summary;
writeTotals({ passed, failed, skipped });
if (!result.success) process.exitCode = 1;
