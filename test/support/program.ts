import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const root = join(import.meta.dirname, "..", "..");

export type Program = {
  child: ChildProcess;
  /** What it has printed so far, on both streams. */
  output(): string;
  /** Waits for that text. @throws Error with the output when it ends without it */
  until(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
};

/** Runs Node with these arguments, in the repository's root unless told otherwise. */
export function runNode(args: string[], options: SpawnOptions = {}): Program {
  const child = spawn(process.execPath, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "", both: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
      printed.both += text;
      child.emit("printed");
    });
  }
  const ended: Program["ended"] = new Promise((resolve) => {
    child.once("close", (code, signal) =>
      resolve({ code, signal, stdout: printed.stdout, stderr: printed.stderr }),
    );
  });
  return {
    child,
    output: () => printed.both,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => printed.both.includes(text) && resolve();
        child.on("printed", look);
        void ended.then(() => reject(new Error(`It ended without "${text}":\n${printed.both}`)));
        look();
      }),
  };
}

/** Whether a process of that number runs: one that has ended may wait for its parent to take note. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until no process of that number runs. */
export async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

/** Waits until no process was started with that folder among its arguments, as PostgreSQL is with that of its files. */
export async function untilUnused(folder: string): Promise<void> {
  if (process.platform !== "linux") return;
  const uses = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
    } catch {
      return false; // it has ended
    }
  };
  while (readdirSync("/proc").some((name) => /^\d+$/.test(name) && uses(name))) await sleep(20);
}
