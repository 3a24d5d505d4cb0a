import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "./pool.ts";

export const migrationsFolder = join(import.meta.dirname, "..", "migrations");

/** Comparison of a database's schema with the migrations of this version. */
export type SchemaVersion = {
  /** Migrations of this version that have not run, the oldest first. */
  missing: string[];
  /** Migrations that have run and are unknown to this version: those of a newer one. */
  unknown: string[];
  /** Whether no migration has run. */
  isEmpty: boolean;
  /** Whether an unreleased version made the database: migrations have run, but not the first one. */
  isUnreleased: boolean;
  /** The newest that has run, if any. */
  newest: string;
};

/** Names of the migrations in a folder, in their order. */
export const migrationsIn = (folder: string): string[] =>
  readdirSync(folder)
    .map((file) => file.replace(/\.sql$/, ""))
    .sort();

/** Names of the migrations of this version, in their order. */
export const knownMigrations: readonly string[] = migrationsIn(migrationsFolder);

/** Compares the migrations that have run on a database with those of this version. */
export async function readSchemaVersion(
  db: Database,
  known: readonly string[] = knownMigrations,
): Promise<SchemaVersion> {
  const applied = await readApplied(db);
  const missing = known.filter((name) => !applied.includes(name));
  const isEmpty = applied.length === 0;
  return {
    missing,
    unknown: applied.filter((name) => !known.includes(name)),
    isEmpty,
    isUnreleased: !isEmpty && missing[0] === known[0],
    newest: applied.at(-1) ?? "",
  };
}

async function readApplied(db: Database): Promise<string[]> {
  const exists = await db.query<{ found: boolean }>(
    "select to_regclass('public.migrations') is not null as found",
  );
  if (!exists.rows[0]?.found) return [];
  const { rows } = await db.query<{ name: string }>(
    `select name::text from public.migrations order by name collate "C"`,
  );
  return rows.map(({ name }) => name);
}

/** Why this version cannot use the schema, in one sentence; undefined where it can. */
export function schemaProblem({ missing, isEmpty, isUnreleased }: SchemaVersion): string | undefined {
  if (isEmpty) return "The database has no tables yet: run `npm run migrate`.";
  if (isUnreleased) {
    return (
      "The database was made by an unreleased version and cannot be upgraded: use an empty one, which " +
      "`npm run migrate` sets up and the indexer fills from the chain."
    );
  }
  if (missing.length === 0) return undefined;
  const which = missing.length === 1 ? `migration ${missing[0]} is` : `migrations ${missing.join(", ")} are`;
  return `The schema of the database is older than this version, ${which} missing: run \`npm run migrate\`.`;
}
