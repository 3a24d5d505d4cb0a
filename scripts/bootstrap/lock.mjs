import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HEARTBEAT_MS = 2_000;
const SILENT_MS = 30_000;

/**
 * Runs `work` while holding the lock directory `path`, which only one process can make.
 * A lock whose holder is dead, or has shown no sign of life for a while, is taken over.
 */
export async function withLock(path, waitingFor, work) {
  mkdirSync(dirname(path), { recursive: true });
  const watch = { beat: undefined, since: performance.now(), told: false };
  while (!take(path)) {
    if (!watch.told) process.stderr.write(`Waiting for ${waitingFor} …\n`);
    watch.told = true;
    const pid = holder(path);
    if (isAbandoned(path, pid, watch)) breakLock(path, pid);
    else await sleep(200);
  }
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  const release = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener("exit", release);
    release();
  }
}

function take(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(path, "pid"), String(process.pid));
  return true;
}

function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // The lock was taken over while this process was suspended.
  }
}

function isAbandoned(path, pid, watch) {
  if (pid !== undefined && !isAlive(pid)) return true;
  const beat = heartbeatOf(path);
  if (beat !== watch.beat) Object.assign(watch, { beat, since: performance.now() });
  return performance.now() - watch.since > SILENT_MS;
}

/** Renaming decides between two who break the same lock: one of them finds it gone, or a new one. */
function breakLock(path, abandonedBy) {
  const aside = `${path}.broken-${process.pid}`;
  try {
    renameSync(path, aside);
    if (holder(aside) === abandonedBy) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, path);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

function holder(path) {
  try {
    return Number(readFileSync(join(path, "pid"), "utf8")) || undefined;
  } catch {
    return undefined; // just being made, or just given back
  }
}

function heartbeatOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
