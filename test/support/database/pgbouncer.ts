import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

import { guardAgainstOrphan } from "../../../scripts/local/guard.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { eventually } from "../eventually.ts";

/** Debian keeps it where ordinary users have no path to. */
const program = ["pgbouncer", "/usr/sbin/pgbouncer"].find((name) => spawnSync(name, ["-V"]).status === 0);

export const pgbouncerMissing: string | undefined =
  program === undefined ? "pgbouncer is not installed: apt-get install pgbouncer" : undefined;

export type Pooler = { url: string; stop(): Promise<void> };

export type PoolerOptions = {
  /** To each database. */
  connections?: number;
  /** In front of all databases of the server, and not of that one alone. */
  everyDatabase?: boolean;
  /** Further lines of its configuration. */
  settings?: readonly string[];
};

/** PgBouncer in transaction mode in front of a database, with few connections, so that they are shared. */
export async function startPgbouncer(
  databaseUrl: string,
  { connections = 4, everyDatabase = false, settings = [] }: PoolerOptions = {},
): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const name = target.pathname.slice(1);
  writeFileSync(join(folder, "users"), `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      everyDatabase
        ? `* = host=${target.hostname} port=${target.port}`
        : `${name} = host=${target.hostname} port=${target.port} dbname=${name}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = scram-sha-256\nauth_file = ${join(folder, "users")}`,
      `pool_mode = transaction\ndefault_pool_size = ${connections}`,
      "server_round_robin = 1",
      ...settings,
    ].join("\n"),
  );
  // It refuses to run as root.
  const root = process.getuid?.() === 0;
  const child = spawn(program ?? "pgbouncer", [join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
    ...(root ? { uid: 65_534, gid: 65_534 } : {}),
  });
  guardAgainstOrphan(child, { signal: "KILL" });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  // Versions before 1.21 track no prepared statements.
  url.searchParams.set("prepared_statements", "off");
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(
      "PgBouncer answers",
      () => answers(url.href),
      (problem) => problem === undefined,
      10,
    );
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer does not work: ${(error as Error).message}\n${log}`);
  }
  return { url: url.href, stop };
}

async function answers(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => {});
  }
}
