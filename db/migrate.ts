import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runner } from "node-pg-migrate";
import pg from "pg";

const directory = join(import.meta.dirname, "migrations");

/** The database was written by newer code than this. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/**
 * Brings the schema up to date. Safe when several processes start at once: the first one works, the others
 * wait for it and find nothing to do.
 * @returns the names of the migrations that ran
 * @throws NewerSchemaError when the database knows a migration that this code does not have
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const [lock, client] = [newClient(databaseUrl), newClient(databaseUrl)];
  try {
    // The lock ends with its transaction. One that belonged to a session would be lost behind a pooler, where
    // the next statement may run on another connection.
    await lock.connect();
    await lock.query("begin");
    await lock.query("select pg_advisory_xact_lock(hashtext('asset-registry migrate'))");
    await client.connect();
    // Only now: newer code may have had its turn while this one waited for its own.
    await refuseNewerSchema(client);
    const migrations = await runner({
      dbClient: client,
      dir: directory,
      direction: "up",
      migrationsTable: "migrations",
      migrationsSchema: "public",
      noLock: true,
      checkOrder: true,
      log: () => undefined,
    });
    return migrations.map(({ name }) => name);
  } finally {
    await Promise.all([client.end(), lock.end()]);
  }
}

function newClient(databaseUrl: string): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "asset-registry migrate",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  return client;
}

async function refuseNewerSchema(client: pg.Client): Promise<void> {
  const exists = await client.query<{ found: boolean }>(
    "select to_regclass('public.migrations') is not null as found",
  );
  if (!exists.rows[0]?.found) return;
  const known = (await readdir(directory)).map((file) => file.replace(/\.(sql|ts)$/, ""));
  const applied = await client.query<{ name: string }>("select name from public.migrations order by id");
  const unknown = applied.rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new NewerSchemaError(
      `The database holds migrations that this version does not know (${unknown.join(", ")}): ` +
        "run the newer version, or restore a backup from before the upgrade.",
    );
  }
}
