import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// In JavaScript, because packages are installed under it. A lock names its holders, and whoever finds them all dead
// takes it over.

/** Takes the lock file `path`. @returns the lock, or the number of the living process that holds it */
export function tryLock(path) {
  mkdirSync(dirname(path), { recursive: true });
  while (!create(path, [process.pid])) {
    const { text, holders } = read(path);
    const holder = holders.find(({ pid, born }) => pid !== process.pid && birthOf(pid) === born);
    if (holder !== undefined) return { heldBy: holder.pid };
    takeAway(path, text);
  }
  return {
    release: () => rmSync(path, { force: true }),
    /** Counts the lock as held until this process has ended, too: a child may outlive its parent. */
    shareWith: (pid) => renameSync(written(path, [process.pid, pid]), path),
  };
}

/** Takes the lock file `path` as soon as nobody else holds it. `onWait` is called once, with who does. */
export async function lock(path, onWait = () => {}) {
  for (let waited = false; ; waited = true) {
    const result = tryLock(path);
    if ("release" in result) return result;
    if (!waited) onWait(result.heldBy);
    await sleep(100);
  }
}

/** Whether the file system refuses this user: a service user may only read the folder. */
export const isForbidden = ({ code }) => ["EACCES", "EPERM", "EROFS"].includes(code);

/** Makes the lock file with all that it holds at once, where there is none. */
function create(path, pids) {
  const draft = written(path, pids);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function written(path, pids) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(pids.map((pid) => ({ pid, born: birthOf(pid) }))));
  return draft;
}

function read(path) {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
    const holders = JSON.parse(text);
    return { text, holders: Array.isArray(holders) ? holders : [] };
  } catch {
    return { text, holders: [] }; // just given back, or broken
  }
}

/** Moved aside first: of two who take away the same lock, one may find a new one in its place. */
function takeAway(path, text) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (read(aside).text === text) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, path);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

/** When a process began, undefined for one that is not there: numbers of processes are given out again. */
function birthOf(pid) {
  try {
    if (process.platform === "linux") {
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
      // The name in parentheses may hold anything; the start time is the 20th field behind it.
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2);
      return `${boot} ${fields.split(" ")[19]}`;
    }
    if (process.platform !== "win32") {
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    }
    process.kill(pid, 0);
    return "alive";
  } catch {
    return undefined;
  }
}
