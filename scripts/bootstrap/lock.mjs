import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const HEARTBEAT_MS = 2_000;
const SILENT_MS = 30_000;
const LONGEST_CHILD_MS = 15 * 60_000;

/**
 * Runs `work` while holding the lock directory `path`, which only one process can make.
 * A lock whose holder is dead, or has shown no sign of life for a while, is taken over. `work` gets `heldAlsoBy`,
 * which names another process that holds it too, until both are dead: a child that may outlive this process.
 */
export async function withLock(path, waitingFor, work) {
  mkdirSync(dirname(path), { recursive: true });
  const watch = { beat: undefined, since: performance.now(), reported: false };
  while (!take(path)) {
    if (!watch.reported) process.stderr.write(`Waiting for ${waitingFor} …\n`);
    watch.reported = true;
    const pid = holder(path);
    if (hasLivingChild(path)) await sleep(200);
    else if (isAbandoned(path, pid, watch)) breakLock(path, pid);
    else await sleep(200);
  }
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  const release = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work({ heldAlsoBy: (pid) => writeFileSync(join(path, "child"), String(pid)) });
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

/** A number of a process is given out again some day, so a child is not waited for longer than any would take. */
function hasLivingChild(path) {
  const named = statSync(join(path, "child"), { throwIfNoEntry: false });
  if (named === undefined || Date.now() - named.mtimeMs > LONGEST_CHILD_MS) return false;
  return isAlive(readPid(join(path, "child")));
}

const holder = (path) => readPid(join(path, "pid"));

function readPid(file) {
  try {
    return Number(readFileSync(file, "utf8")) || undefined;
  } catch {
    return undefined; // just being made, or just given back
  }
}

function heartbeatOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Whether the file system refuses this user: a service user may only read the folder. */
export const isForbidden = ({ code }) => ["EACCES", "EPERM", "EROFS"].includes(code);

function isAlive(pid) {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
