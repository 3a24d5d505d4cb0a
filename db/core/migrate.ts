import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { analyzeNewTables } from "./analyze.ts";
import { DatabaseRefusedError } from "./connection-problem.ts";
import {
  migrationsFolder,
  migrationsIn,
  readSchemaVersion,
  type SchemaVersion,
  schemaProblem,
} from "./schema-version.ts";
import { checkServer } from "./server.ts";
import { connectSingle } from "./single-connection.ts";

/** The database was written by a newer version than this. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/**
 * Runs the missing migrations in one transaction. Safe to start several times at once: the others wait and find nothing
 * to do.
 * @param folder where the migrations are, one file of SQL each, in the order of their names
 * @returns the names of the migrations that ran
 * @throws NewerSchemaError when the database has a migration that this version does not have
 * @throws DatabaseRefusedError when the database cannot be used as it is
 */
export async function migrate(databaseUrl: string, folder: string = migrationsFolder): Promise<string[]> {
  const client = await connectSingle(databaseUrl, "migrate");
  try {
    await checkServer(client);
    // Each statement reads what is committed by then: the first of them waits for other processes.
    await client.query("begin isolation level read committed");
    const applied = await applyMissing(client, folder);
    await analyzeNewTables(client);
    await client.query("commit");
    return applied;
  } catch (error) {
    throw isDenied(error) ? await deniedError(client, error) : error;
  } finally {
    await client.end();
  }
}

async function applyMissing(client: pg.Client, folder: string): Promise<string[]> {
  await client.query(
    "set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0; set local statement_timeout = 0",
  );
  // The lock ends with the transaction. One that belonged to a session would be lost behind a pooler, where the next
  // statement may run on another connection.
  await client.query("select pg_advisory_xact_lock(hashtext('asset-registry migrate'))");
  const version = await readSchemaVersion(client, migrationsIn(folder));
  refuse(version);
  if (version.isEmpty) {
    await client.query(`
      create table if not exists public.migrations (
        name text primary key,
        run_on timestamptz not null default now()
      )`);
  }
  for (const name of version.missing) {
    await client.query("insert into public.migrations (name, run_on) values ($1, now())", [name]);
    await client.query(await readFile(join(folder, `${name}.sql`), "utf8"));
  }
  return version.missing;
}

function refuse(version: SchemaVersion): void {
  if (version.isUnreleased) throw new DatabaseRefusedError(schemaProblem(version));
  if (version.unknown.length === 0) return;
  throw new NewerSchemaError(
    `The database holds migrations that this version does not know (${version.unknown.join(", ")}): ` +
      "run the newer version, or restore a backup from before the upgrade.",
  );
}

const isDenied = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "42501";

async function deniedError(client: pg.Client, { message }: Error): Promise<DatabaseRefusedError> {
  await client.query("rollback");
  const { rows } = await client.query<{ role: string; database: string }>(
    "select current_user::text as role, current_database()::text as database",
  );
  const { role = "", database = "" } = rows[0] ?? {};
  return new DatabaseRefusedError(
    `The role ${role} may not change the schema of the database ${database} (${message.split("\n")[0]}): ` +
      "run migrations as the schema's owner, which docs/postgres/roles.sql sets up.",
  );
}
