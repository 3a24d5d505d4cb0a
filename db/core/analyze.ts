import type { Database, Transaction } from "./pool.ts";
import { queryPatiently } from "./statement-timeout.ts";

/**
 * Statistics for the planner. Without them it guesses the size of each table until autovacuum runs, after a minute or
 * more.
 */

/** Analyzes tables without statistics, after migrations and after a restore. */
export async function analyzeNewTables(db: Database): Promise<void> {
  const tables = await ownTables(db, ["chain", "service"], true);
  if (tables.length > 0) await db.query(`analyze ${tables}`);
}

/** Analyzes the whole index, after a bulk load. */
export async function analyzeIndex(tx: Transaction): Promise<void> {
  const tables = await ownTables(tx, ["chain"], false);
  if (tables.length > 0) await queryPatiently(tx, `analyze ${tables}`);
}

/** Tables that the role may analyze, as only an owner may. */
async function ownTables(db: Database, schemas: string[], isNew: boolean): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = any($1) and relkind = 'r' and pg_has_role(relowner, 'usage') and (reltuples < 0 or not $2)
     order by name`,
    [schemas, isNew],
  );
  return rows.map(({ name }) => name);
}
