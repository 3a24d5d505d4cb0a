import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "./eventually.ts";

/** The indexer as a process of its own, by its environment alone. */
export function startIndexerProcess(environment: Record<string, string>) {
  const child = spawn(process.execPath, ["indexer/main.ts"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, POLL_INTERVAL: "50", LEASE_SECONDS: "1", LOG_LEVEL: "info", ...environment },
  });
  const lines: string[] = [];
  const errors: string[] = [];
  child.stdout.on("data", (chunk) => lines.push(...String(chunk).split("\n").filter(Boolean)));
  child.stderr.on("data", (chunk) => errors.push(String(chunk)));
  const closed = once(child, "close") as Promise<[number | null]>;

  return {
    /** Lines of its log. */
    lines,
    logged: (pattern: RegExp, seconds?: number) =>
      eventually(
        `a line that matches ${pattern}`,
        async () => lines.filter((line) => pattern.test(line)),
        (found) => found.length > 0,
        seconds,
      ),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Waits for its end. @returns its exit code and what it said on its error stream */
    end: async () => {
      const [code] = await closed;
      return { code, said: errors.join("") };
    },
  };
}
