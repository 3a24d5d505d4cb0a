import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "./build.ts";
import { program } from "./checks/run-check.ts";
import { behaviourTests, inCopy } from "./contracts/copy.ts";

const usage = `Usage: npm run coverage

Which lines and statements of contracts/ the tests in Mocha reach, as a table and as coverage/html. Fails where one is
not reached. Whether both outcomes of every condition matter is what \`npm run mutation\` asks.`;

const root = join(import.meta.dirname, "..");

async function main(): Promise<boolean> {
  await build();
  return inCopy(async (folder) => {
    const tests = await behaviourTests(folder);
    const hardhat = spawn(process.execPath, [program("hardhat"), "--coverage", "test", "mocha", ...tests], {
      cwd: folder,
      stdio: "inherit",
    });
    const [code] = await once(hardhat, "close");
    if (code !== 0) return false;
    await cp(join(folder, "coverage"), join(root, "coverage"), { recursive: true });
    const report = await readFile(join(root, "coverage", "lcov.info"), "utf8");
    return report.includes("\nDA:") && !/^DA:\d+,0$/m.test(report);
  });
}

if (process.argv.includes("--help")) console.log(usage);
else if (!(await main())) {
  console.error("A test failed, or not every line is reached.");
  process.exitCode = 1;
}
