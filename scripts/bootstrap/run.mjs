import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { environmentFor } from "./npm.mjs";
import { readSettingsFile } from "./settings-file.mjs";

const SAME_SIGNAL_MS = 300;
const windows = process.platform === "win32";

/**
 * Runs the script and answers its exit code, 128 + the number of the signal that ended it.
 *
 * The script leads a process group of its own. One Ctrl-C reaches this process twice, from the terminal
 * and from npm; the script gets it once, from here. It also gets an IPC channel: its `disconnect` event
 * means that this process was killed.
 */
export function runScript(root, node, script, args) {
  const child = spawn(node, [join(root, script), ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: scriptEnvironment(root, node, script),
    detached: !windows,
  });
  const forward = signalForwarder(child);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
  const watch = watchParent(() => forward("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** These make their own configuration, and must not depend on what a developer has set. */
const isolatedScripts = new Set([
  "scripts/test.ts",
  "scripts/test-system.ts",
  "scripts/test-deep.ts",
  "scripts/check.ts",
  "scripts/torture.ts",
  "scripts/simulate.ts",
  "scripts/bench/index.ts",
  "scripts/bench/lag.ts",
  "scripts/bench/api.ts",
  "scripts/bench/write.ts",
  "scripts/bench/events.ts",
  "scripts/bench/floods.ts",
  "scripts/bench/gas.ts",
  "scripts/bench/console/console.ts",
  "scripts/bench/verifier/hash.ts",
  "scripts/bench/verifier/proof.ts",
  "scripts/coverage.ts",
  "scripts/mutate.ts",
  "scripts/fuzz.ts",
  "scripts/fuzz-proof.ts",
]);

/**
 * Environment of the script and its children: the settings of the file .env, overridden by the environment, and a
 * compile cache, which saves a third of the start-up time. Node 22's warning about TypeScript is silenced.
 */
function scriptEnvironment(root, node, script) {
  const settings = isolatedScripts.has(script) ? {} : readSettingsFile(join(root, ".env"));
  const environment = { ...settings, ...environmentFor(node) };
  environment.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");
  if (node === process.execPath && process.version.startsWith("v22.")) {
    environment.NODE_OPTIONS =
      `${environment.NODE_OPTIONS ?? ""} --disable-warning=ExperimentalWarning`.trim();
  }
  return environment;
}

function signalForwarder(child) {
  const lastAt = new Map();
  return (signal) => {
    // A console of Windows gives Ctrl-C to each of its processes itself.
    if (windows && signal === "SIGINT") return;
    const now = performance.now();
    if (now - (lastAt.get(signal) ?? Number.NEGATIVE_INFINITY) < SAME_SIGNAL_MS) return;
    lastAt.set(signal, now);
    try {
      if (windows) child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // It has just ended: its exit is on the way.
    }
  };
}

/**
 * A killed npm cannot pass anything on. It is seen by the parent that changes: of this process, or of the shell
 * that npm may have started it in.
 */
function watchParent(onDeath) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const before = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === before) return;
    clearInterval(timer);
    onDeath();
  }, 1000);
  return timer;
}

function ancestry() {
  const parent = process.ppid;
  try {
    // The name in parentheses, which may hold some itself, the state, the parent's number.
    const stat = readFileSync(`/proc/${parent}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const name = stat.slice(stat.indexOf("(") + 1, end);
    const [, grandparent] = stat.slice(end + 2).split(" ");
    if (/^(ba|da|a)?sh$/.test(name)) return `${parent} ${grandparent}`;
  } catch {
    // Not Linux: shells replace themselves by the one command that they are given.
  }
  return String(parent);
}
