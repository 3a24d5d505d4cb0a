import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../local/ports.ts";

export type Service = { url: string; pid: number; stop(): Promise<void> };

/** Counted as in service, and never reached. */
export const highLimits = {
  RATE_LIMIT: "1000000000",
  RATE_LIMIT_ADDRESS: "1000000000",
  MAX_OPEN_REQUESTS: "1000000000",
};

/** The API as it is in service, with its log in a file, ready to answer. BENCH_NODE_FLAGS may hold `--cpu-prof`. */
export async function startApi(environment: Record<string, string>, logFile: string): Promise<Service> {
  const port = await freePort();
  const log = openSync(logFile, "a");
  const flags = process.env["BENCH_NODE_FLAGS"]?.split(" ") ?? [];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "../../api/main.ts")], {
    env: { ...process.env, ...highLimits, ...environment, PORT: String(port) },
    stdio: ["ignore", log, "inherit"],
  });
  closeSync(log);
  const stop = () => end(child);
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok) return { url, pid: child.pid ?? 0, stop };
    await sleep(100);
  }
  await stop();
  throw new Error("The API did not answer within 30 s");
}

/**
 * The floors: see api/floor.ts.
 * @throws when the process ends before it listens
 */
export async function startFloor(...args: string[]): Promise<Service> {
  const script = join(import.meta.dirname, "api", "floor.ts");
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  if (line === undefined) throw new Error("The floor ended before it listened");
  const { port } = JSON.parse(line) as { port: number };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
