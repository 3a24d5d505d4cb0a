import { runner } from "node-pg-migrate";
import type pg from "pg";
import { analyzeNewTables } from "./analyze.ts";
import { DatabaseRefusedError } from "./connection-problem.ts";
import { migrationsFolder, readSchemaVersion } from "./schema-version.ts";
import { checkServer } from "./server.ts";
import { connectSingle } from "./single.ts";

/** The database was written by newer code than this. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/**
 * Brings the schema up to date. Safe when several processes start at once: the first one works, the others
 * wait for it and find nothing to do.
 * @returns the names of the migrations that ran
 * @throws NewerSchemaError when the database knows a migration that this code does not have
 * @throws DatabaseRefusedError when the database cannot be used as it is
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const lock = await connectSingle(databaseUrl, "migrate");
  let client: pg.Client | undefined;
  try {
    await checkServer(lock);
    // The lock ends with its transaction. One that belonged to a session would be lost behind a pooler, where
    // the next statement may run on another connection.
    await lock.query("begin; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0");
    await lock.query("select pg_advisory_xact_lock(hashtext('asset-registry migrate'))");
    client = await connectSingle(databaseUrl, "migrate");
    // Only now: newer code may have had its turn while this one waited for its own.
    await refuseNewerSchema(client);
    const migrations = await runner({
      dbClient: client,
      dir: migrationsFolder,
      direction: "up",
      migrationsTable: "migrations",
      migrationsSchema: "public",
      noLock: true,
      checkOrder: true,
      log: () => undefined,
    });
    await analyzeNewTables(client);
    return migrations.map(({ name }) => name);
  } catch (error) {
    throw isDenied(error) ? await deniedError(lock, error) : error;
  } finally {
    await Promise.all([client?.end(), lock.end()]);
  }
}

async function refuseNewerSchema(client: pg.Client): Promise<void> {
  const { unknown } = await readSchemaVersion(client);
  if (unknown.length === 0) return;
  throw new NewerSchemaError(
    `The database holds migrations that this version does not know (${unknown.join(", ")}): ` +
      "run the newer version, or restore a backup from before the upgrade.",
  );
}

/** The runner wraps some errors of the server in others. */
const isDenied = (error: unknown): error is Error =>
  error instanceof Error &&
  (("code" in error && error.code === "42501") || /permission denied|must be owner/.test(error.message));

async function deniedError(lock: pg.Client, { message }: Error): Promise<DatabaseRefusedError> {
  await lock.query("rollback");
  const { rows } = await lock.query<{ role: string; database: string }>(
    "select current_user::text as role, current_database()::text as database",
  );
  const { role = "", database = "" } = rows[0] ?? {};
  return new DatabaseRefusedError(
    `The role ${role} may not change the schema of the database ${database} (${message.split("\n")[0]}): ` +
      "run migrations as the schema's owner, which docs/postgres/roles.sql sets up.",
  );
}
