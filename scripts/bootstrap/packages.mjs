import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { withLock } from "./lock.mjs";
import { npmCommand } from "./npm.mjs";
import { Problem } from "./problem.mjs";
import { showProgress } from "./progress.mjs";

/** What production runs: these do without the development packages (`npm ci --omit=dev`). */
const productionScripts = new Set([
  "api/main.ts",
  "indexer/main.ts",
  "scripts/migrate.ts",
  "scripts/keys.ts",
]);

/** Runs `npm ci` where the packages of package-lock.json are not all in node_modules. */
export async function ensurePackages(root, node, script) {
  const withDev = !productionScripts.has(script);
  if (isInstalled(root, withDev)) return;
  await withLock(
    join(root, ".data", "install.lock"),
    "another npm script to install the packages",
    async () => {
      if (isInstalled(root, withDev)) return;
      await install(root, node, withDev);
      writeStamp(root, withDev || readInstalled(root).some(([, entry]) => entry.dev));
    },
  );
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
  // Installed by hand: compare what npm notes in node_modules with the lock file.
  const installed = new Map(readInstalled(root));
  if (installed.size === 0) return false;
  for (const [path, entry] of Object.entries(JSON.parse(lock.text).packages)) {
    if (path === "" || !isForThisMachine(entry) || (entry.dev && !withDev)) continue;
    if (installed.get(path)?.version !== entry.version) return false;
  }
  writeStamp(root, withDev);
  return true;
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

async function install(root, node, withDev) {
  const progress = showProgress("Installing packages");
  const { file, args, options } = npmCommand(node, [
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--include=optional", // the database, the compiler and the local chain come as optional packages
    ...(withDev ? ["--include=dev"] : []),
  ]);
  const output = [];
  const failure = await new Promise((resolve) => {
    const npm = spawn(file, args, { ...options, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    npm.stdout.on("data", (chunk) => output.push(chunk));
    npm.stderr.on("data", (chunk) => output.push(chunk));
    npm.on("error", (error) => resolve(error.message));
    npm.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `npm ci ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  progress.end(failure === undefined);
  if (failure === undefined) return;
  throw new Problem(
    `${Buffer.concat(output).toString().trim()}\n${failure}. The packages are not installed; put that right and run the same command again.`,
  );
}
