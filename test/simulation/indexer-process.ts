import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "..", "..");

export type IndexerProcess = {
  child: ChildProcess;
  /** The name under which it holds the lease; told when it first looks. */
  holder: Promise<string>;
  /** Everything that it said on its error stream. */
  errors(): string;
  kill(): Promise<void>;
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | null>;
};

/** Starts the product's own indexer as a process, as an operator does. */
export function startIndexerProcess(environment: Record<string, string>): IndexerProcess {
  const child = spawn(process.execPath, ["indexer/main.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", POLL_INTERVAL: "50", LEASE_SECONDS: "1", ...environment },
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const holder = new Promise<string>((resolve) => {
    if (child.stdout === null) return;
    createInterface(child.stdout).on("line", (line) => {
      const name = /"holder":"([0-9a-f-]{36})"/.exec(line)?.[1];
      if (name !== undefined) resolve(name);
    });
  });
  const ended = once(child, "exit");
  return {
    child,
    holder,
    errors: () => errors,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code as number | null;
    },
  };
}
