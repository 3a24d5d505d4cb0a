import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type Binaries, canReach, isOurs, PostgresError, type RunAs, runBinary } from "./binaries.ts";

/** A cluster on disk, made and not running. */
export type Cluster = { folder: string; password: string };

/** Fixes the collation, so that strings sort alike on every machine. */
const ownLocale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
/** Locale of a database whose operator chose none, available on every server. */
const systemLocale = ["--locale=C.UTF-8"];

/** A cluster that ends with its user. */
export async function makeEphemeralCluster(binaries: Binaries, installed = false): Promise<Cluster> {
  const parent = mkdtempSync(join(tmpdir(), "asset-registry-test-"));
  own(parent, binaries.runAs);
  const cluster = { folder: join(parent, "data"), password: randomBytes(24).toString("hex") };
  try {
    await initialise(binaries, cluster, ["--no-sync", ...(installed ? systemLocale : ownLocale)], parent);
    return cluster;
  } catch (error) {
    removeEphemeralCluster(cluster);
    throw error;
  }
}

export function removeEphemeralCluster({ folder }: Cluster): void {
  rmSync(dirname(folder), { recursive: true, force: true });
}

/** The cluster of `dataDir`, made where there is none; one left running by a killed process is stopped. */
export async function openCluster(binaries: Binaries, dataDir: string): Promise<Cluster> {
  const folder = placeFor(resolve(dataDir), binaries.runAs);
  await stopLeftover(binaries, folder);
  const passwordFile = passwordFileOf(dataDir);
  const made = existsSync(join(folder, "PG_VERSION"));
  if (made && !existsSync(passwordFile)) {
    throw new PostgresError(
      `${passwordFile} is missing, so the database in ${folder} cannot be opened.\nPut it back, or delete that folder to begin with an empty database.`,
    );
  }
  if (made) return { folder, password: readFileSync(passwordFile, "utf8").trim() };

  const password = randomBytes(24).toString("hex");
  rmSync(folder, { recursive: true, force: true }); // left half-made by an interrupted start
  mkdirSync(dirname(passwordFile), { recursive: true });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  await initialise(binaries, { folder, password }, ownLocale);
  return { folder, password };
}

/** Removes the cluster of `dataDir` with all that it holds; one that was left running is stopped first. */
export async function removeCluster(binaries: Binaries, dataDir: string): Promise<void> {
  const folder = placeFor(resolve(dataDir), binaries.runAs);
  await stopLeftover(binaries, folder);
  rmSync(folder, { recursive: true, force: true });
  rmSync(passwordFileOf(dataDir), { force: true });
}

const passwordFileOf = (dataDir: string): string => `${resolve(dataDir)}.password`;

/** Where the files go: `dataDir`, or a private folder when root's own folders are closed to `runAs`. */
function placeFor(dataDir: string, runAs: RunAs): string {
  const parent = dirname(dataDir);
  mkdirSync(parent, { recursive: true });
  if (canReach(parent, runAs)) return dataDir;
  const key = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const elsewhere = join(tmpdir(), `asset-registry-data-${key}`);
  if (!existsSync(elsewhere)) {
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o755); // whatever the umask is
  }
  if (!isOurs(elsewhere))
    throw new PostgresError(
      `${elsewhere} belongs to another user. Set DATA_DIR to a folder outside ${parent}.`,
    );
  return join(elsewhere, "data");
}

function own(folder: string, { uid, gid }: RunAs): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
}

/** @param scratch a folder of this cluster that goes with this process, where there is one */
async function initialise(
  binaries: Binaries,
  { folder, password }: Cluster,
  flags: string[],
  scratch?: string,
): Promise<void> {
  const { uid, gid } = binaries.runAs;
  own(folder, binaries.runAs);
  const passwordFolder = mkdtempSync(join(scratch ?? tmpdir(), "asset-registry-init-"));
  const passwordFile = join(passwordFolder, "password");
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    for (const path of [passwordFolder, passwordFile])
      if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    await runBinary(
      binaries.initdb,
      [
        `--pgdata=${folder}`,
        "--username=postgres",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        ...flags,
      ],
      binaries,
      scratch ?? passwordFolder,
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new PostgresError(`The database folder ${folder} could not be made:\n${outputOf(error)}`);
  } finally {
    rmSync(passwordFolder, { recursive: true, force: true });
  }
}

function outputOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim() || message).split("\n").slice(-10).join("\n");
}

const pidFileOf = (folder: string) => join(folder, "postmaster.pid");

/** Number of the process of a running server, as the server writes it into its data folder. */
export function postmasterPid(folder: string): number {
  return Number.parseInt(readFileSync(pidFileOf(folder), "utf8"), 10);
}

/** Stops the PostgreSQL whose starter was killed. Nobody else uses a cluster of ours. */
async function stopLeftover(binaries: Binaries, folder: string): Promise<void> {
  const pidFile = pidFileOf(folder);
  if (!existsSync(pidFile)) return;
  const pid = postmasterPid(folder);
  for (const mode of ["fast", "immediate"]) {
    if (!(await runsIn(folder, pid))) break;
    await runBinary(binaries.pgCtl, ["stop", "-D", folder, "-m", mode, "-w", "-t", "10"], binaries).catch(
      () => sleep(100),
    );
  }
  // Left by a power cut: another process may have that number by now, and PostgreSQL would take it for its own.
  rmSync(pidFile, { force: true });
}

async function runsIn(folder: string, pid: number): Promise<boolean> {
  if (process.platform === "linux") {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(folder);
    } catch {
      return false;
    }
  }
  const { execFile } = await import("node:child_process");
  return await new Promise((answer) => {
    execFile("ps", ["-o", "args=", "-p", String(pid)], (_error, stdout) => answer(stdout.includes(folder)));
  });
}
