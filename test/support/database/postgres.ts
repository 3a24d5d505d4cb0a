import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

import { migrate } from "../../../db/core/migrate.ts";
import { startPostgres } from "../../../scripts/local/postgres/server.ts";
import { type Origin, readOrigin, resetDatabase } from "./reset.ts";

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A database of this process, and what it was when it was made. */
type Made = { name: string; origin: Origin };

/** Given back and empty again: to make one takes twenty times as long as to empty one. */
const free: Made[] = [];

/**
 * A migrated database without any rows, of the caller's own until it is dropped.
 * @param unused nobody has used its tables before, which leaves its mark on what the planner expects
 */
export async function createDatabase({ unused = false } = {}): Promise<TestDatabase> {
  const adminUrl = await cluster();
  const database = (unused ? undefined : free.pop()) ?? (await copyTemplate(adminUrl));
  let given = true;
  return {
    url: servedUrl(adminUrl, database.name),
    async drop() {
      if (!given) return;
      given = false;
      if (await isEmptied(adminUrl, database)) free.push(database);
      else await query(adminUrl, `drop database ${database.name} with (force)`);
    },
  };
}

async function copyTemplate(adminUrl: string): Promise<Made> {
  const template = await migratedTemplate(adminUrl);
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  return { name, origin: await withClient(databaseUrl(adminUrl, name), readOrigin) };
}

/** A pooler would go on using connections that are ended here. */
async function isEmptied(adminUrl: string, { name, origin }: Made): Promise<boolean> {
  if (process.env["TEST_POOLER_URL"] !== undefined) return false;
  return await withClient(databaseUrl(adminUrl, name), (client) => resetDatabase(client, origin)).catch(
    () => false,
  );
}

/** A database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const adminUrl = await cluster();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(adminUrl, `create database ${name} template template0`);
  return {
    url: servedUrl(adminUrl, name),
    drop: () => query(adminUrl, `drop database ${name} with (force)`),
  };
}

let lazyCluster: Promise<string> | undefined;

/** The cluster that `npm test` started; else one that ends with this process. */
function cluster(): Promise<string> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return Promise.resolve(given);
  lazyCluster ??= startPostgres({ ephemeral: true }).then(({ adminUrl }) => adminUrl);
  return lazyCluster;
}

let template: Promise<string> | undefined;

function migratedTemplate(adminUrl: string): Promise<string> {
  template ??= makeTemplate(adminUrl);
  return template;
}

/** Once per cluster and state of the migrations, whichever test file comes first. */
async function makeTemplate(adminUrl: string): Promise<string> {
  const name = `template_${migrationsHash()}`;
  await withClient(adminUrl, async (client) => {
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await client.query("select from pg_database where datname = $1 and datistemplate", [
      name,
    ]);
    if (rowCount === 1) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template template0`);
    await migrate(databaseUrl(adminUrl, name));
    await client.query(`alter database ${name} with is_template true allow_connections false`);
  });
  return name;
}

function migrationsHash(): string {
  const folder = join(import.meta.dirname, "..", "..", "..", "db", "migrations");
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Through the pooler, where the tests are run behind one. */
function servedUrl(adminUrl: string, name: string): string {
  return databaseUrl(process.env["TEST_POOLER_URL"] ?? adminUrl, name);
}

const query = (url: string, sql: string): Promise<void> =>
  withClient(url, async (client) => void (await client.query(sql)));

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: "asset-registry tests" });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
