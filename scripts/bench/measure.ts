import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Between two values where the rank falls between them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}

/** Date, machine and load of the figures; the load shows whether the machine had other work. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() || "unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${availableParallelism()} cores (${model}), ${memory} GiB, Node ${process.versions.node}, load at the end ${load}`;
}

/** Runs a script in a process of its own, and answers what it prints as JSON in its last line. */
export async function runChild<Result>(script: string, args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part: Buffer) => {
    output += part;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${script} ${args.join(" ")} ended with exit code ${code}`);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Result;
}
