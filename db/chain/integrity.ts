import type { Database, Transaction } from "../core/pool.ts";
import { deferredParts, keptParts } from "./deferred-indexes.ts";

/**
 * Checks the indexes and foreign keys of schema `chain`. Where a foreign key is missing, a reorg would silently leave
 * rows of removed blocks.
 */

/** With the parts that can be made again, all that the migrations made: a test holds the lists against them. */
const keys = [
  "assets_pkey",
  "blocks_hash_key",
  "blocks_pkey",
  "cancellations_pkey",
  "cursor_pkey",
  "links_pkey",
  "nonces_pkey",
  "reverts_pkey",
  "undecoded_logs_pkey",
];

/** In SQL: names of the indexes, keys and foreign keys of a schema. */
const partNames = `
  select relname::text as name from pg_class where relnamespace = 'chain'::regnamespace and relkind = 'i'
  union
  select conname::text from pg_constraint
  where connamespace = 'chain'::regnamespace and contype in ('p', 'u', 'f') and convalidated`;

/**
 * Indexes, keys and foreign keys that are missing.
 * @param initialSync whether the deferred ones may be missing
 */
export async function missingParts(db: Database, initialSync = false): Promise<string[]> {
  const expected = [...keys, ...keptParts, ...(initialSync ? [] : deferredParts)];
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) expected (name) where name not in (${partNames}) order by name`,
    [expected],
  );
  return rows.map(({ name }) => name);
}

/** Each table whose rows hang on a block, by which column, and what becomes of them without it. */
const hangingOnBlocks = [
  { table: "assets", column: "block_number", undo: "delete from chain.assets" },
  { table: "links", column: "block_number", undo: "delete from chain.links" },
  { table: "links", column: "revoked_block", undo: "update chain.links set revoked_block = null" },
  { table: "cancellations", column: "block_number", undo: "delete from chain.cancellations" },
  { table: "reverts", column: "block_number", undo: "delete from chain.reverts" },
  { table: "nonces", column: "block_number", undo: "delete from chain.nonces" },
  { table: "undecoded_logs", column: "block_number", undo: "delete from chain.undecoded_logs" },
];

/**
 * Undoes what is left above `ancestor` after the blocks there were deleted, in every table.
 * @returns how many rows that were, by table: none where the foreign keys did their work
 */
export async function undoLeftAbove(tx: Transaction, ancestor: number): Promise<Map<string, number>> {
  const undone = new Map<string, number>();
  for (const { table, column, undo } of hangingOnBlocks) {
    const { rowCount } = await tx.query(`${undo} where ${column} > $1`, [ancestor]);
    if (rowCount) undone.set(table, (undone.get(table) ?? 0) + rowCount);
  }
  return undone;
}

/** Rows whose block is not stored: a line for each table that has some. */
export async function rowsWithoutBlock(db: Database): Promise<string[]> {
  const counts = hangingOnBlocks.map(
    ({ table, column }) =>
      `select '${table}.${column}' as place, count(*) as count, min(row.${column}) as first
       from chain.${table} row
       where row.${column} is not null
         and not exists (select from chain.blocks where number = row.${column})`,
  );
  const { rows } = await db.query<{ place: string; count: number; first: number }>(
    `select * from (${counts.join(" union all ")}) counted where count > 0 order by place`,
  );
  return rows.map(({ place, count, first }) => `${place}: ${count} rows, the first of block ${first}`);
}
