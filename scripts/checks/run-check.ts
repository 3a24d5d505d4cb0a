import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const require = createRequire(import.meta.url);

/** A program of a package, as the path of the script that Node runs. */
export function program(packageName: string, name = packageName): string {
  // Not every package lets its package.json be resolved by name.
  const home = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  const path = typeof bin === "string" ? bin : bin[name];
  if (path === undefined) throw new Error(`${packageName} has no program ${name}`);
  return require.resolve(join(home, path));
}

export type Check = { name: string; commands: string[][] };
export type Verdict = { passed: boolean; output: string; seconds: number };

/** Runs the commands of a check one after the other, up to the first that fails. */
export async function runCheck({ commands }: Check): Promise<Verdict> {
  const since = performance.now();
  let output = "";
  let passed = true;
  for (const command of commands) {
    const result = await run(command);
    output += result.output;
    passed &&= result.passed;
    if (!passed) break;
  }
  return { passed, output: output.trim(), seconds: (performance.now() - since) / 1000 };
}

function run(command: string[]): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(process.execPath, command, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", (error) => resolve({ passed: false, output: error.message }));
    child.once("close", (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString() }));
  });
}

export const solidityFiles = ["contracts/**/*.sol", "test/contracts/**/*.sol"];
