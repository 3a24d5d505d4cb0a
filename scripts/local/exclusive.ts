import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A lock file of this process; `release` gives it back. */
export type Hold = { release(): void };

/** Takes the lock file `path`, or answers which living process holds it. */
export function tryHold(path: string): Hold | { heldBy: number } {
  mkdirSync(dirname(path), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, born: birthOf(process.pid) });
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: "wx" });
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const { text, pid, born } = readHolder(path);
    if (pid !== undefined && pid !== process.pid && birthOf(pid) === born) return { heldBy: pid };
    breakLock(path, text);
  }
}

/** Takes the lock file `path` as soon as nobody else holds it. */
export async function hold(path: string, onWait: (pid: number) => void = () => {}): Promise<Hold> {
  for (let waited = false; ; waited = true) {
    const result = tryHold(path);
    if ("release" in result) return result;
    if (!waited) onWait(result.heldBy);
    await sleep(100);
  }
}

function readHolder(path: string): { text: string; pid?: number; born?: string } {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
    return { ...(JSON.parse(text) as { pid: number; born: string }), text };
  } catch {
    return { text }; // just given back, or its holder was killed while it wrote
  }
}

/** Moved aside first: of two who break the same lock, one may find a new one in its place. */
function breakLock(path: string, text: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readHolder(aside).text === text) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** When a process began, undefined for one that is not there: numbers of processes are given out again. */
function birthOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      // The name in parentheses may hold anything; the start time is the 20th field behind it.
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2);
      return `${boot} ${fields.split(" ")[19]}`;
    }
    if (process.platform !== "win32")
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    process.kill(pid, 0);
    return "alive";
  } catch {
    return undefined;
  }
}
