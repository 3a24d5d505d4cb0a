import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { guardAgainstOrphan } from "../guard.ts";
import { freePort, LOCALHOST } from "../ports.ts";
import { type Binaries, findBinaries, PostgresError, runBinary } from "./binaries.ts";
import {
  type Cluster,
  makeEphemeralCluster,
  openCluster,
  removeCluster,
  removeEphemeralCluster,
} from "./cluster.ts";

export type Postgres = {
  /** The product's database. */
  url: string;
  /** The database `postgres` of the same cluster, from which others are created. */
  adminUrl: string;
  port: number;
  /** Where the files are: not `dataDir` when root's folders are closed to the user that PostgreSQL runs as. */
  folder: string;
  /** When it ends without having been stopped, too. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

export type PostgresOptions =
  /** Kept in `dataDir` from one start to the next; with `empty`, what it held is removed first. */
  | { dataDir: string; empty?: boolean; port?: number; logFile?: string }
  /**
   * For tests: in a temporary folder, gone when it stops. Careless about power cuts; or, by the binaries of the
   * system's own packages, with the settings that they come with.
   */
  | { ephemeral: true; port?: number; installed?: Binaries };

const START_TIMEOUT_MS = 30_000;
const DATABASE = "asset_registry";
/** Of a database that nobody would miss. */
const careless = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "300",
};

/**
 * Runs a PostgreSQL of its own for this process, on 127.0.0.1 only.
 * @throws PostgresError saying what is in the way, with the last lines of its log
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  if ("ephemeral" in options) {
    const binaries = options.installed ?? (await findBinaries());
    const cluster = await makeEphemeralCluster(binaries, options.installed !== undefined);
    const settings: Record<string, string> = options.installed === undefined ? careless : {};
    try {
      return await run(binaries, cluster, {
        settings,
        port: options.port,
        logFile: `${dirname(cluster.folder)}/log`,
        ephemeral: true,
      });
    } catch (error) {
      removeEphemeralCluster(cluster);
      throw error;
    }
  }
  const binaries = await findBinaries();
  if (options.empty) await removeCluster(binaries, options.dataDir);
  const cluster = await openCluster(binaries, options.dataDir);
  const logFile = options.logFile ?? `${resolve(options.dataDir)}.log`;
  return await run(binaries, cluster, { settings: {}, port: options.port, logFile, ephemeral: false });
}

type RunOptions = {
  settings: Record<string, string>;
  port: number | undefined;
  logFile: string;
  ephemeral: boolean;
};

async function run(binaries: Binaries, cluster: Cluster, options: RunOptions): Promise<Postgres> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const server = spawnServer(binaries, cluster, port, options);
    try {
      const urlOf = (database: string) =>
        `postgres://postgres:${cluster.password}@${LOCALHOST}:${port}/${database}`;
      await createDatabase(urlOf("postgres"), server);
      const stop = async () => {
        await server.stop();
        if (options.ephemeral) removeEphemeralCluster(cluster);
      };
      return {
        url: urlOf(DATABASE),
        adminUrl: urlOf("postgres"),
        port,
        folder: cluster.folder,
        ended: server.ended,
        stop,
      };
    } catch (error) {
      await server.stop();
      const log = server.log();
      const portTaken = /address already in use|could not bind/i.test(log);
      if (portTaken && options.port === undefined && attempt < 5) continue;
      const reason = portTaken ? `port ${port} is taken` : (error as Error).message;
      throw new PostgresError(
        `PostgreSQL did not start: ${reason}.\n${log.split("\n").slice(-10).join("\n")}`.trim(),
      );
    }
  }
}

type Server = { log(): string; hasEnded(): boolean; ended: Promise<void>; stop(): Promise<void> };

function spawnServer(
  binaries: Binaries,
  cluster: Cluster,
  port: number,
  { settings, logFile, ephemeral }: RunOptions,
): Server {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a", 0o600);
  const logStart = statSync(logFile).size;
  const allSettings = {
    listen_addresses: LOCALHOST,
    port: String(port),
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    ...settings,
  };
  const child = spawn(
    binaries.postgres,
    [
      "-D",
      cluster.folder,
      ...Object.entries(allSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    // A group of its own: Ctrl-C in the terminal must not reach it before those who use it are done.
    { ...binaries.runAs, cwd: "/", detached: true, stdio: ["ignore", log, log], windowsHide: true },
  );
  closeSync(log);
  child.unref();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  guardAgainstOrphan(child, { signal: "INT", ...(ephemeral && { removeFolder: dirname(cluster.folder) }) });
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    log: () => readFileSync(logFile).subarray(logStart).toString().trim(),
    hasEnded,
    ended,
    async stop() {
      const kept = setInterval(() => {}, 1000); // the child itself does not keep this process alive
      // Fast: clients are disconnected. Immediate: as after a power cut. Then by force.
      for (const [signal, wait] of [
        ["SIGINT", 10_000],
        ["SIGQUIT", 5_000],
        ["SIGKILL", 5_000],
      ] as const) {
        if (hasEnded()) break;
        // A signal on Windows is an end without warning; pg_ctl asks the server itself.
        if (signal === "SIGINT" && process.platform === "win32") {
          await runBinary(binaries.pgCtl, ["stop", "-D", cluster.folder, "-m", "fast", "-w"], binaries).catch(
            () => {},
          );
        } else child.kill(signal);
        await Promise.race([ended, sleep(wait, undefined, { ref: false })]);
      }
      clearInterval(kept);
    },
  };
}

/** Waits for the server too. */
async function createDatabase(adminUrl: string, server: Server): Promise<void> {
  const client = await connect(adminUrl, server);
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function connect(url: string, server: Server): Promise<pg.Client> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on("error", () => {}); // the server went away: the query in hand says so
    try {
      // Without the second, whatever else listens on the port would be waited for.
      await Promise.race([
        client.connect(),
        server.ended.then(() => Promise.reject(new Error("it ended at once"))),
      ]);
      return client;
    } catch (error) {
      void client.end().catch(() => {});
      if (server.hasEnded()) throw new Error("it ended at once");
      if (performance.now() > deadline) throw error;
      await sleep(25);
    }
  }
}
