import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";

import { isForbidden, lock } from "./lock.mjs";
import { npmCommand } from "./npm.mjs";
import { Problem } from "./problem.mjs";
import { showProgress } from "./progress.mjs";

/** Scripts that run in production, without development packages (`npm ci --omit=dev --workspaces=false`). */
const productionScripts = new Set([
  "api/main.ts",
  "indexer/main.ts",
  "scripts/migrate.ts",
  "scripts/keys.ts",
  "scripts/reindex.ts",
  "scripts/sign.ts",
  "scripts/verify.ts",
]);

/** Runs `npm ci` where the packages of package-lock.json are not all in node_modules. */
export async function ensurePackages(root, node, script) {
  const withDev = !productionScripts.has(script);
  if (isInstalled(root, withDev)) return;
  try {
    const held = await lock(join(root, ".data", "install.lock"), () =>
      process.stderr.write("Waiting for another npm script to install the packages …\n"),
    );
    try {
      if (isInstalled(root, withDev)) return;
      await install(root, node, withDev, held);
      writeStamp(root, withDev || readInstalled(root).some(([, entry]) => entry.dev));
    } finally {
      held.release();
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new Problem(
      `The packages of package-lock.json are not all installed, and this user may not write ${error.path ?? root} (${error.code}).\n` +
        `Run \`npm ci${withDev ? "" : " --omit=dev --workspaces=false"}\` there as the user that owns the folder, then the same command again.`,
    );
  }
}

const stampOf = (root) => join(root, "node_modules", ".cache", "asset-registry", "installed.json");

/** The lock file as text, and what it stands for: an install under another platform is not this one. */
function readLock(root) {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n${text}`).digest("hex");
  return { text, hash };
}

function isInstalled(root, withDev) {
  const lock = readLock(root);
  const stamp = readJson(stampOf(root));
  if (stamp?.lock === lock.hash && (stamp.dev || !withDev)) return true;
  // Installed by hand: compare npm's record in node_modules with the lock file.
  const installed = new Map(readInstalled(root));
  if (installed.size === 0) return false;
  const entries = Object.entries(JSON.parse(lock.text).packages);
  const needed = neededNames(entries);
  for (const [path, entry] of entries) {
    if (!path.includes("node_modules/") || !isForThisMachine(entry)) continue;
    if (isOptional(entry) && !needed.has(nameOf(path))) continue;
    // Only workspaces load each other by their links and packages of their own; no service loads a workspace by its name.
    const isOfWorkspaces = entry.link || !path.startsWith("node_modules/");
    if ((entry.dev || isOfWorkspaces) && !withDev) continue;
    if (!installed.has(path) || installed.get(path).version !== entry.version) return false;
  }
  try {
    writeStamp(root, withDev);
  } catch (error) {
    // A service user may only read the folder: it compares again at its next start.
    if (!isForbidden(error)) throw error;
  }
  return true;
}

const nameOf = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const isOptional = ({ optional, devOptional }) => optional === true || devOptional === true;

/** The packages that those for this machine depend on: npm leaves out the ones that only others need. */
function neededNames(entries) {
  const names = new Set();
  let before;
  do {
    before = names.size;
    for (const [path, entry] of entries) {
      if (!isForThisMachine(entry) || (isOptional(entry) && !names.has(nameOf(path)))) continue;
      for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]) {
        for (const name of Object.keys(entry[kind] ?? {})) names.add(name);
      }
    }
  } while (names.size > before);
  return names;
}

function readInstalled(root) {
  return Object.entries(readJson(join(root, "node_modules", ".package-lock.json"))?.packages ?? {});
}

function writeStamp(root, dev) {
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), JSON.stringify({ lock: readLock(root).hash, dev }));
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // missing or half-written: the same as not installed
  }
}

/** `os`, `cpu` and `libc` of the lock file: a list of names, or of names not wanted. */
function isForThisMachine({ os, cpu, libc }) {
  return (
    allows(os, process.platform) &&
    allows(cpu, process.arch) &&
    (libc === undefined || allows(libc, libcName()))
  );
}

function allows(list, name) {
  if (list === undefined) return true;
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((entry) => entry.startsWith("!"));
}

let libcKnown;
function libcName() {
  libcKnown ??= process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
  return libcKnown;
}

/** npm's errors where node_modules changed while npm removed it, as after an installation that was killed half-way. */
const halfRemoved = /\b(ENOTEMPTY|EEXIST|ENOTDIR)\b/;

async function install(root, node, withDev, held) {
  const progress = showProgress("Installing packages");
  let result = await runNpmCi(root, node, withDev, held);
  if (result.failure !== undefined && halfRemoved.test(result.output)) {
    rmSync(join(root, "node_modules"), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    result = await runNpmCi(root, node, withDev, held);
  }
  progress.end(result.failure === undefined);
  if (result.failure === undefined) return;
  throw new Problem(
    `${result.output}\n${result.failure}. The packages are not installed; fix that and run the same command again.`,
  );
}

/**
 * A signal that ends this process ends npm first, and the lock counts as held while npm runs: whoever comes next
 * never works in node_modules beside one that was left behind.
 */
async function runNpmCi(root, node, withDev, held) {
  const { file, args, options } = npmCommand(node, [
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--include=optional", // the database, the compiler and the local chain come as optional packages
    ...(withDev ? ["--include=dev"] : []),
  ]);
  const npm = spawn(file, args, {
    ...options,
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !windows,
  });
  if (npm.pid !== undefined) held.shareWith(npm.pid);
  const endBy = new Map(endingSignals.map((signal) => [signal, () => endNpm(npm, signal)]));
  for (const [signal, listener] of endBy) process.on(signal, listener);
  const output = [];
  npm.stdout.on("data", (chunk) => output.push(chunk));
  npm.stderr.on("data", (chunk) => output.push(chunk));
  try {
    const failure = await new Promise((resolve) => {
      npm.on("error", (error) => resolve(error.message));
      npm.on("close", (code, signal) =>
        resolve(code === 0 ? undefined : `npm ci ended with ${signal ?? `exit code ${code}`}`),
      );
    });
    return { failure, output: Buffer.concat(output).toString().trim() };
  } finally {
    for (const [signal, listener] of endBy) process.off(signal, listener);
  }
}

const windows = process.platform === "win32";
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** npm and the install scripts that it runs are one process group. */
function endNpm(npm, signal) {
  npm.once("close", () => process.exit(128 + constants.signals[signal]));
  try {
    if (windows) npm.kill();
    else process.kill(-npm.pid, "SIGTERM");
  } catch {
    // It has just ended: its close event is on the way.
  }
}
