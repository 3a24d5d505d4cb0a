import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";

import type { Log } from "../terminal/log.ts";

const root = join(import.meta.dirname, "..", "..");

const alive = new Set<ChildProcess>();

/** For the second Ctrl-C. */
export function killAll(): void {
  for (const child of alive) child.kill("SIGKILL");
}

/** How a process ended, in words. */
export type Ending = string;

export type Running = {
  child: ChildProcess;
  ended: Promise<Ending>;
  /** SIGTERM, then SIGKILL after `timeoutMs`. */
  stop(timeoutMs?: number): Promise<void>;
};

export type ProcessOptions = {
  /** Path of the script in the repository. */
  script: string;
  args?: string[];
  environment?: NodeJS.ProcessEnv;
  log: Log;
};

/**
 * Runs a script of the product as a child. It leads a process group of its own, so Ctrl-C reaches this process
 * alone, and it has an IPC channel, whose `disconnect` event means that this process was killed.
 */
export function runProcess({ script, args = [], environment = process.env, log }: ProcessOptions): Running {
  const child = spawn(process.execPath, [resolve(root, script), ...args], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    windowsHide: true,
  });
  alive.add(child);
  if (child.stdout) log.follow(child.stdout);
  if (child.stderr) log.follow(child.stderr);
  const ended = new Promise<Ending>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // `close` comes when its output has been read to the end.
    child.once("close", (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
  void ended.then(() => alive.delete(child));
  return {
    child,
    ended,
    async stop(timeoutMs = 10_000) {
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Runs a script to its end. @throws Error with its last lines when it fails */
export async function runToEnd(options: ProcessOptions & { signal?: AbortSignal }): Promise<void> {
  const running = runProcess(options);
  const abort = () => void running.stop();
  options.signal?.addEventListener("abort", abort);
  const ending = await running.ended;
  options.signal?.removeEventListener("abort", abort);
  if (ending !== "exit code 0") throw new Error(options.log.lastLines(10) || `${options.script}: ${ending}`);
}
