import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { isForbidden, lock } from "./lock.mjs";
import { npmCommand } from "./npm.mjs";
import { Problem } from "./problem.mjs";

/** Node runs TypeScript by itself from 22.18 on; 23 is out of support. */
function runsTypeScript(version) {
  const [major, minor] = version.replace(/^v/, "").split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

const cacheOf = (root) => join(root, "node_modules", ".cache", "asset-registry", "node.json");

/** The Node to run everything with: this one, the one found last time, or Node 24 from npm. */
export async function findNode(root) {
  if (runsTypeScript(process.version)) return process.execPath;
  const known = knownNode(root);
  if (known !== undefined) return known;
  // npm does not expect to be asked for the same package twice at once.
  const held = await lock(join(root, ".data", "install.lock"), () =>
    process.stderr.write("Waiting for another npm script to get Node 24 …\n"),
  ).catch((error) => {
    // Whoever may not write here can hold no lock, but has a cache of npm's for itself.
    if (!isForbidden(error)) throw error;
  });
  try {
    return await getNode24();
  } finally {
    held?.release();
  }
}

async function getNode24() {
  process.stderr.write(`Node ${process.version} is too old to run this: getting Node 24 from npm …\n`);
  const { file, args, options } = npmCommand(process.execPath, [
    "exec",
    "--yes",
    "--ignore-scripts=false", // the package `node` puts its binary in place by such a script
    "--loglevel=error",
    "--package=node@24",
    "--call",
    "node -p process.execPath",
  ]);
  const { error, stdout, stderr } = await new Promise((resolve) => {
    const npm = execFile(file, args, options, (error, stdout, stderr) => resolve({ error, stdout, stderr }));
    npm.stdin?.end();
  });
  const found = stdout.trim().split(/\r?\n/).pop() ?? "";
  if (isNode24(found)) return found;
  throw new Problem(
    [
      stderr.trim() || error?.message,
      `This needs Node 22.18 or later (24 is best); the one here is ${process.version}, and npm could not get Node 24.`,
      "Install Node 24 from https://nodejs.org and run the same command again.",
    ]
      .filter(Boolean)
      .join("\n"),
  );
}

/** Saves the next start the search. */
export function rememberNode(root, node) {
  if (node === process.execPath || node === knownPath(root)) return;
  try {
    mkdirSync(dirname(cacheOf(root)), { recursive: true });
    writeFileSync(cacheOf(root), JSON.stringify({ node }));
  } catch (error) {
    if (!isForbidden(error)) throw error; // nothing is remembered then, and the next start searches again
  }
}

function knownNode(root) {
  const node = knownPath(root);
  return node !== undefined && isNode24(node) ? node : undefined;
}

function knownPath(root) {
  try {
    const { node } = JSON.parse(readFileSync(cacheOf(root), "utf8"));
    return typeof node === "string" ? node : undefined;
  } catch {
    return undefined; // none remembered yet
  }
}

function isNode24(path) {
  if (path === "") return false;
  const { stdout } = spawnSync(path, ["-p", "process.version"], { encoding: "utf8", windowsHide: true });
  return stdout?.startsWith("v24.") ?? false;
}
