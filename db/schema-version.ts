import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "./pool.ts";

export const migrationsFolder = join(import.meta.dirname, "migrations");

/** How the schema of a database compares with the migrations of this version. */
export type SchemaVersion = {
  /** Migrations of this version that have not run, the oldest first. */
  missing: string[];
  /** Migrations that have run and that this version does not know: newer code was here. */
  unknown: string[];
  /** Whether nothing has run at all. */
  isEmpty: boolean;
  /** The newest that has run. */
  newest: string;
};

let known: Promise<string[]> | undefined;

/** Names of the migrations of this version, in their order. */
export function knownMigrations(): Promise<string[]> {
  known ??= readdir(migrationsFolder).then((files) =>
    files.sort().map((file) => file.replace(/\.(sql|ts)$/, "")),
  );
  return known;
}

export async function readSchemaVersion(db: Database): Promise<SchemaVersion> {
  const names = await knownMigrations();
  const exists = await db.query<{ found: boolean }>(
    "select to_regclass('public.migrations') is not null as found",
  );
  if (!exists.rows[0]?.found) return { missing: names, unknown: [], isEmpty: true, newest: "" };
  const { rows } = await db.query<{ name: string }>("select name from public.migrations order by id");
  const applied = new Set(rows.map(({ name }) => name));
  return {
    missing: names.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !names.includes(name)),
    isEmpty: applied.size === 0,
    newest: rows.at(-1)?.name ?? "",
  };
}

/** What is missing in the schema, in one sentence; undefined where this version can work on it. */
export function schemaProblem({ missing, isEmpty }: SchemaVersion): string | undefined {
  if (isEmpty) return "The database has no tables yet: run `npm run migrate`.";
  if (missing.length === 0) return undefined;
  const which = missing.length === 1 ? `migration ${missing[0]} is` : `migrations ${missing.join(", ")} are`;
  return `The schema of the database is older than this version, ${which} missing: run \`npm run migrate\`.`;
}
