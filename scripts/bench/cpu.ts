import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

/**
 * Processor seconds that a process and its children have used, those that have ended included. NaN where the
 * system has no /proc.
 */
export function cpuSecondsOf(pid: number): number {
  const root = readStat(pid);
  if (root === undefined) return Number.NaN;
  let ticks = root.own + root.ended;
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : undefined;
    if (stat?.parent === pid) ticks += stat.own + stat.ended;
  }
  return ticks / ticksPerSecond;
}

function readStat(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces; the fields after it are counted from the state, which is the third.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0);
    return {
      parent: parent as number,
      own: (user as number) + (system as number),
      ended: (endedUser as number) + (endedSystem as number),
    };
  } catch {
    return undefined;
  }
}
