import { once } from "node:events";
import { eventually } from "./eventually.ts";
import { runNode } from "./program.ts";

export type IndexerProcess = ReturnType<typeof startIndexerProcess>;

/** Starts the product's own indexer as a process, by its environment alone, as an operator does. */
export function startIndexerProcess(environment: Record<string, string>) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    POLL_INTERVAL: "50",
    LEASE_SECONDS: "1",
    LOG_LEVEL: "info",
    ...environment,
  };
  const { child, ended, output, until } = runNode(["indexer/main.ts"], { env });
  const holderPattern = /"holder":"([0-9a-f-]{36})"/;
  const lines = () => output().split("\n").filter(Boolean);

  /** Waits for its end. @returns its exit code and what it said on its error stream */
  async function end() {
    const { code, stderr } = await ended;
    return { code, said: stderr };
  }

  return {
    child,
    /** The name under which it holds the lease; told when it first looks. Never, where it ends before. */
    holder: new Promise<string>((resolve) => {
      child.on("printed", () => {
        const name = holderPattern.exec(output())?.[1];
        if (name !== undefined) resolve(name);
      });
    }),
    /** Lines of its log. */
    lines,
    until,
    logged: (pattern: RegExp, seconds?: number) =>
      eventually(
        `a line that matches ${pattern}`,
        async () => lines().filter((line) => pattern.test(line)),
        (found) => found.length > 0,
        seconds,
      ),
    end,
    /** Ends it at once, wherever it is. */
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    /** Asks it to end, and answers what `end` does. */
    stop() {
      child.kill("SIGTERM");
      return end();
    },
  };
}
