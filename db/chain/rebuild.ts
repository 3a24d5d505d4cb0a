import type { IndexPosition } from "../../domain/index/index-position.ts";
import { inTransaction, type Pool, type Transaction } from "../core/pool.ts";
import { markSettled } from "../service/requests/endings.ts";
import { subjectOf } from "./cancellations.ts";
import { makeMissingParts } from "./deferred-indexes.ts";
import { lockIndexPosition } from "./index-position.ts";
import { missingParts } from "./integrity.ts";

/**
 * A second index beside the one that is served, in schema `chain_next`. Inside a transaction of the rebuild it is
 * renamed to `chain`, so that the statements which write an index can write this one unchanged. No other session sees
 * the new name before the commit, and every transaction but the last renames it back.
 */

/** Another rebuild has begun, or this one was removed. */
export class RebuildLostError extends Error {
  override readonly name = "RebuildLostError";

  constructor() {
    super("Another rebuild of the index has begun meanwhile; this one stops.");
  }
}

/** Schema `chain` has something that a rebuild would lose. */
export class RebuildRefusedError extends Error {
  override readonly name = "RebuildRefusedError";
}

const lendName = "alter schema chain rename to chain_live; alter schema chain_next rename to chain";
const takeNameBack = "alter schema chain rename to chain_next; alter schema chain_live rename to chain";

/** Creates an empty index beside the live one, and removes the rest of an interrupted rebuild. */
export async function createRebuild(pool: Pool, id: string): Promise<void> {
  await dropReplaced(pool);
  await inTransaction(pool, async (tx) => {
    await refuseForeignObjects(tx);
    await tx.query("drop schema if exists chain_next cascade; create schema chain_next");
    // The id of its rebuild.
    await tx.query(`comment on schema chain_next is ${quoted(id)}`);
    await copyTables(tx);
  });
}

/** Runs `work` in a transaction in which schema `chain` is the one being built, and the live one `chain_live`. */
export function inRebuild<Result>(
  pool: Pool,
  id: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (tx) => {
    await enter(tx, id);
    const result = await work(tx);
    await tx.query(takeNameBack);
    return result;
  });
}

/**
 * Like `inRebuild`, for the last transaction: the new index replaces the live one when `work` is done. The writer of the
 * live index waits meanwhile, and then reads the new position.
 */
export async function replaceIndex(
  pool: Pool,
  id: string,
  work: (tx: Transaction, live: IndexPosition | undefined) => Promise<void>,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const live = await lockIndexPosition(tx);
    await enter(tx, id);
    await refuseMissingParts(tx);
    await work(tx, live);
    await tx.query("delete from chain_live.cursor");
    await tx.query("comment on schema chain is null; alter schema chain_live rename to chain_replaced");
  });
  await dropReplaced(pool);
}

async function dropReplaced(pool: Pool): Promise<void> {
  await pool.query("drop schema if exists chain_replaced cascade");
}

/** Removes a failed rebuild, but not that of another process. */
export async function dropRebuild(pool: Pool, id: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    if ((await ownerOf(tx, "chain_next")) === id) await tx.query("drop schema chain_next cascade");
  });
}

async function enter(tx: Transaction, id: string): Promise<void> {
  if ((await ownerOf(tx, "chain_next")) !== id) throw new RebuildLostError();
  await tx.query(lendName);
}

async function ownerOf(tx: Transaction, schema: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ owner: string | null }>(
    "select obj_description(to_regnamespace($1), 'pg_namespace') as owner",
    [schema],
  );
  return rows[0]?.owner ?? undefined;
}

/** @throws RebuildRefusedError for triggers, functions and other objects, which a copy would silently lose */
async function refuseForeignObjects(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<{ found: string }>(
    `select relname as found from pg_class
     where relnamespace = 'chain'::regnamespace and relkind not in ('r', 'i')
     union all
     select proname from pg_proc where pronamespace = 'chain'::regnamespace
     union all
     select tgname from pg_trigger trigger join pg_class on pg_class.oid = trigger.tgrelid
     where relnamespace = 'chain'::regnamespace and not tgisinternal`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ found }) => found).join(", ");
  throw new RebuildRefusedError(
    `Schema chain has objects that no migration made (${names}), which the new one would not have. Drop them first.`,
  );
}

/**
 * In a rebuild: checks that the live index has nothing that this one is missing, as after a concurrent migration.
 * @throws RebuildRefusedError naming it
 */
async function refuseMissingParts(tx: Transaction): Promise<void> {
  // Definitions are qualified only for schemas that are not on the search path.
  await tx.query("savepoint before_path; set local search_path to ''");
  const parts = (schema: string) =>
    `select replace(part, '${schema}.', '') as part from (
       select format('column %s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull,
         pg_get_expr(adbin, adrelid)) as part
       from pg_attribute join pg_class on pg_class.oid = attrelid
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where relnamespace = '${schema}'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
       union all
       select format('constraint %s of %s %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = '${schema}'::regnamespace and contype <> 'n'
       union all
       select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indrelid
       where relnamespace = '${schema}'::regnamespace) ${schema}`;
  const { rows } = await tx.query<{ part: string }>(
    `(${parts("chain_live")}) except (${parts("chain")}) order by part`,
  );
  const missing = await missingParts(tx);
  await tx.query("rollback to before_path");
  if (rows.length > 0) {
    throw new RebuildRefusedError(
      "The schema was changed while the index was built again, and the new one does not have " +
        `${rows.map(({ part }) => part).join(", ")}. Nothing was changed: run it again.`,
    );
  }
  if (missing.length > 0) {
    throw new RebuildRefusedError(
      `Schema chain does not have what the migrations made (${missing.join(", ")}), so that a copy of it has not ` +
        "either. Nothing was changed: restore the schema, and run it again.",
    );
  }
}

/** Copies tables, constraints, indexes and privileges of the live index, as the migrations created them. */
async function copyTables(tx: Transaction): Promise<void> {
  // Definitions are qualified only for schemas that are not on the search path.
  await tx.query("set local search_path to ''");
  const { rows } = await tx.query<{ statement: string; late: boolean }>(
    `select statement, late from (
       select 1 as step, false as late, relname::text as name,
         format('create table chain_next.%I (like chain.%I including all excluding indexes)', relname, relname)
           as statement
       from pg_class where relnamespace = 'chain'::regnamespace and relkind = 'r'
       union all
       select case contype when 'f' then 4 else 2 end, true, conname::text,
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'chain'::regnamespace and contype in ('p', 'u', 'x', 'f')
       union all
       select 3, true, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
       from pg_index join pg_class on pg_class.oid = indrelid
       where relnamespace = 'chain'::regnamespace
         and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
       union all
       select 5, true, relname::text, format('grant %s on %s to %s', privilege_type, pg_class.oid::regclass,
         case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
       from pg_class, aclexplode(relacl)
       where relnamespace = 'chain'::regnamespace and relkind = 'r' and grantee <> relowner
       union all
       select 5, true, nspname::text, format('grant %s on schema chain to %s', privilege_type,
         case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
       from pg_namespace, aclexplode(nspacl) where nspname = 'chain' and grantee <> nspowner
     ) steps order by step, name`,
  );
  for (const { statement } of rows.filter(({ late }) => !late)) await tx.query(statement);
  // The definitions name `chain`, which is now the copy.
  await tx.query(lendName);
  for (const { statement } of rows.filter(({ late }) => late)) await tx.query(statement);
  // The live index may be in its initial sync, without the deferred indexes, which the copy needs.
  await makeMissingParts(tx);
  await tx.query(takeNameBack);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** In a rebuild: creates the position at the start block of the live index. */
export async function beginRebuild(tx: Transaction): Promise<void> {
  await tx.query(
    `insert into chain.cursor (chain_id, registry, start_block, block_number, confirmations, head_number, head_seen_at)
     select chain_id, registry, start_block, start_block - 1, confirmations, head_number, head_seen_at
     from chain_live.cursor`,
  );
}

/** In a rebuild: copies the chain's head from the live index. */
export async function takeOverHead(tx: Transaction): Promise<void> {
  await tx.query(
    `update chain.cursor
     set head_number = live.head_number, head_seen_at = live.head_seen_at, confirmations = live.confirmations
     from chain_live.cursor live`,
  );
}

/**
 * In a rebuild: keeps the final block of the live index, as far as the two share blocks.
 * @returns the old and the new final block, where the chain has removed final blocks
 */
export async function takeOverFinality(
  tx: Transaction,
  finalNumber: number,
): Promise<{ wasFinal: number; isFinal: number } | undefined> {
  const { rows } = await tx.query<{ wasFinal: number; isFinal: number }>(
    `update chain.cursor built
     set final_number = greatest(built.final_number, least($1::bigint, built.block_number),
       least(live.final_number, built.block_number, (
         select coalesce(max(number), -1) from chain.blocks join chain_live.blocks using (number, hash))))
     from chain_live.cursor live
     returning live.final_number as "wasFinal", built.final_number as "isFinal"`,
    [finalNumber],
  );
  const [seen] = rows;
  return seen !== undefined && seen.isFinal < seen.wasFinal ? seen : undefined;
}

/**
 * In a rebuild: copies reverts and nonces, which come from no event, where both indexes have the same block, except for
 * rows that the chain contradicts.
 */
export async function copyOutcomes(
  tx: Transaction,
  wrong: { reverts: readonly Buffer[]; nonces: readonly { address: Buffer; block: number }[] },
): Promise<void> {
  await tx.query(
    `insert into chain.blocks
     select block.* from chain_live.blocks block
     where (exists (select from chain_live.reverts where block_number = block.number)
         or exists (select from chain_live.nonces where block_number = block.number))
       and block.number <= (select block_number from chain.cursor)
     on conflict do nothing`,
  );
  await tx.query(
    `insert into chain.reverts
     select revert.* from chain_live.reverts revert
     join chain_live.blocks live on live.number = revert.block_number
     join chain.blocks block on block.hash = live.hash
     where revert.transaction_hash <> all($1::bytea[])`,
    [wrong.reverts],
  );
  await tx.query(
    `insert into chain.nonces
     select nonce.* from chain_live.nonces nonce
     join chain_live.blocks live on live.number = nonce.block_number
     join chain.blocks block on block.hash = live.hash
     where (nonce.address, nonce.block_number) not in (select * from unnest($1::bytea[], $2::bigint[]))`,
    [wrong.nonces.map(({ address }) => address), wrong.nonces.map(({ block }) => block)],
  );
}

/** In a rebuild: requests with different facts in the two indexes. */
export async function requestsRebuilt(tx: Transaction): Promise<string[]> {
  const assets = (schema: string) => `select id, block_number, transaction_hash from ${schema}.assets`;
  const links = (schema: string) =>
    `select parent, child, nth, block_number, transaction_hash, revoked_block, case when revoked_block is not null
       then revoked_transaction_hash end from ${schema}.links`;
  const cancellations = (schema: string) =>
    `select author, subject, block_number from ${schema}.cancellations`;
  const changed = (rows: (schema: string) => string) =>
    `(${rows("chain")} except ${rows("chain_live")}) union all (${rows("chain_live")} except ${rows("chain")})`;
  const { rows } = await tx.query<{ id: string }>(
    `select id from service.requests
     where asset_id in (select id from (${changed(assets)}) asset)
       or asset_id in (select parent from (${changed(links)}) link)
       or ${subjectOf("service.requests")} in (select subject from (${changed(cancellations)}) voided)
     order by id for update`,
  );
  const ids = rows.map(({ id }) => id);
  await markSettled(tx, ids, false);
  return ids;
}
