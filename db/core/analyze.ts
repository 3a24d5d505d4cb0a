import type { Database, Transaction } from "./pool.ts";
import { queryPatiently } from "./statement-timeout.ts";

/**
 * Statistics for the planner. Without them it guesses the size of each table until autovacuum runs, after a minute or
 * more. Of a table that is small now it must not learn the size: it takes one without statistics for ten pages, which
 * are read by their indexes, while statements that were planned for an empty table read all of it until the next
 * analysis. In the first minute of a service that was most of PostgreSQL's time (16.4 of 29.4 ms for each creation, 7.3
 * of 20.4 without).
 */

/** The planner's guess, in bytes. */
const smallTable = 10 * 8192;

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
       and pg_relation_size(pg_class.oid) >= $3
     order by name`,
    [schemas, isNew, smallTable],
  );
  return rows.map(({ name }) => name);
}
