import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../db/core/migrate.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { deployerKey } from "../../test/support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { deployRegistry } from "../contracts/deploy-registry.ts";
import { postmasterPid } from "../local/postgres/cluster.ts";
import { startPostgres } from "../local/postgres/server.ts";
import { benchFolder } from "./folder.ts";
import { startApi } from "./service.ts";

export type WholeService = {
  apiUrl: string;
  anvil: Anvil;
  registry: Registry;
  databaseUrl: string;
  /** Process numbers of its parts. */
  pids: { API: number; indexer: number; PostgreSQL: number; "the chain": number };
};

type Options = {
  name: string;
  /** Of API and indexer, over what every service of this kind gets. */
  environment: Record<string, string>;
  /** Of PostgreSQL, over its own; it is started again with them. */
  server?: Record<string, string>;
  /** Before API and indexer start. */
  prepare?: (databaseUrl: string) => Promise<void>;
};

/** Runs `work` with a database, a chain with a block every second, an indexer and an API as they are in service. */
export async function withWholeService<Result>(
  { name, environment, server = {}, prepare }: Options,
  work: (service: WholeService) => Promise<Result>,
): Promise<Result> {
  const folder = await benchFolder(name);
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const dataDir = join(folder, "postgres");
    if (Object.keys(server).length > 0) await configure(dataDir, server);
    const postgres = await startPostgres({ dataDir });
    closers.push(postgres.stop);
    await migrate(postgres.url);
    await prepare?.(postgres.url);
    const anvil = await startAnvil({ blockTime: 1 });
    closers.push(anvil.stop);
    const { registry, chainId, blockNumber } = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    const settings = {
      DATABASE_URL: postgres.url,
      RPC_URL: anvil.url,
      REGISTRY_ADDRESS: registry,
      START_BLOCK: String(blockNumber),
      POLL_INTERVAL: "200",
      OIDC_ISSUER: "http://127.0.0.1:1",
      LOG_LEVEL: "warn",
      ...environment,
    };
    const flags = process.env["BENCH_NODE_FLAGS"]?.split(" ") ?? [];
    const indexer = spawn(process.execPath, [...flags, join(import.meta.dirname, "../../indexer/main.ts")], {
      env: { ...process.env, ...settings },
      stdio: ["ignore", 2, 2],
    });
    closers.push(async () => {
      const ended = once(indexer, "exit");
      indexer.kill("SIGTERM");
      await ended;
    });
    const api = await startApi(settings, join(folder, "api.log"));
    closers.push(api.stop);
    await untilReady(api.url);
    return await work({
      apiUrl: api.url,
      anvil,
      registry: { chainId, address: registry },
      databaseUrl: postgres.url,
      pids: {
        API: api.pid,
        indexer: indexer.pid ?? 0,
        PostgreSQL: postmasterPid(postgres.folder),
        "the chain": anvil.pid,
      },
    });
  } finally {
    for (const closer of closers.reverse()) await closer();
  }
}

/** Makes a database whose server has these settings from its next start on. */
async function configure(dataDir: string, settings: Record<string, string>): Promise<void> {
  const { adminUrl, stop } = await startPostgres({ dataDir });
  const client = new pg.Client({ connectionString: adminUrl });
  try {
    await client.connect();
    for (const [name, value] of Object.entries(settings)) {
      await client.query(
        `alter system set ${client.escapeIdentifier(name)} = ${client.escapeLiteral(value)}`,
      );
    }
  } finally {
    await client.end();
    await stop();
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if ((await fetch(`${url}/ready`).catch(() => undefined))?.ok) return;
    await sleep(100);
  }
  throw new Error("The service was not ready within 30 s");
}
