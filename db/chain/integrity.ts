import type { Database, Transaction } from "../core/pool.ts";
import { deferredParts, keptParts } from "./deferred-indexes.ts";

/**
 * Checks the indexes and foreign keys of schema `chain`. Where a foreign key is missing, a reorg would silently leave
 * rows of removed blocks.
 */

/** Together with the deferred parts, everything that the migrations create; a test compares the lists. */
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

/** Each table with rows of a block, the column that refers to it, and the effect of its deletion. */
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
 * Deletes orphaned rows above `ancestor` after the blocks there were deleted, in every table.
 * @returns the number of rows by table; empty where the foreign keys are in place
 */
export async function undoLeftAbove(tx: Transaction, ancestor: number): Promise<Map<string, number>> {
  const undone = new Map<string, number>();
  for (const { table, column, undo } of hangingOnBlocks) {
    const { rowCount } = await tx.query(`${undo} where ${column} > $1`, [ancestor]);
    if (rowCount) undone.set(table, (undone.get(table) ?? 0) + rowCount);
  }
  return undone;
}

/** Tables with rows whose block is not stored, one line each. */
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
