import { cancelStatement } from "../core/cancel.ts";
import { type Database, inTransaction, type Pool, type Transaction } from "../core/pool.ts";
import { queryPatiently } from "../core/statement-timeout.ts";

/**
 * Indexes and foreign keys that are built at the end of an initial sync: maintaining them row by row takes as long as
 * all the rest, building them at the end a tenth of that. Primary and unique keys stay.
 * A test compares the definitions with those of the migrations. A migration that drops such a part must use
 * `if exists`, because an initial sync may be running.
 */

type DeferredPart = { name: string; make: string; drop: string };

const index = (name: string, definition: string): DeferredPart => ({
  name,
  make: `create index if not exists ${name} on chain.${definition}`,
  drop: `drop index if exists chain.${name}`,
});

const foreignKey = (table: string, column: string, onDelete: string): DeferredPart => {
  const name = `${table}_${column}_fkey`;
  const alter = `alter table chain.${table}`;
  return {
    name,
    make: `${alter} add constraint ${name} foreign key (${column}) references chain.blocks (number)
      on delete ${onDelete}`,
    drop: `${alter} drop constraint if exists ${name}`,
  };
};

/** The slowest come first, because two are built at a time. */
const indexes = [
  index("assets_string_to_array_idx", "assets using gin (string_to_array(name_key, ' '))"),
  index("assets_author_block_number_log_index_idx", "assets (author, block_number, log_index)"),
  index("assets_name_key_idx", "assets (name_key)"),
  index(
    "assets_file_digest_block_number_log_index_idx",
    "assets (file_digest, block_number, log_index) where file_digest is not null",
  ),
  index("assets_block_number_log_index_idx", "assets (block_number, log_index)"),
  index(
    "links_child_block_number_log_index_parent_idx",
    "links (child, block_number, log_index) include (parent) where revoked_block is null",
  ),
  index(
    "links_parent_block_number_log_index_child_idx",
    "links (parent, block_number, log_index) include (child) where revoked_block is null",
  ),
  index("links_child_revoked_block_idx", "links (child, revoked_block) where revoked_block is not null"),
  index("links_parent_revoked_block_idx", "links (parent, revoked_block) where revoked_block is not null"),
  index("links_block_number_idx", "links (block_number)"),
  index("links_revoked_block_idx", "links (revoked_block)"),
];
/** Built after the indexes, which their checks use. */
const foreignKeys = [
  foreignKey("assets", "block_number", "cascade"),
  foreignKey("links", "block_number", "cascade"),
  foreignKey("links", "revoked_block", "set null"),
];

/** Never dropped here; built again if they are missing. */
const keptIndexes = [
  index("blocks_timestamp_number_idx", "blocks (timestamp, number)"),
  index("cancellations_author_subject_block_number_idx", "cancellations (author, subject, block_number)"),
  index("nonces_address_nonce_block_number_idx", "nonces (address, nonce, block_number)"),
  index("nonces_block_number_idx", "nonces (block_number)"),
  index("reverts_block_number_idx", "reverts (block_number)"),
];
const keptForeignKeys = ["cancellations", "nonces", "reverts", "undecoded_logs"].map((table) =>
  foreignKey(table, "block_number", "cascade"),
);
const allIndexes = [...indexes, ...keptIndexes];
const allForeignKeys = [...foreignKeys, ...keptForeignKeys];

const namesOf = (parts: readonly DeferredPart[]): string[] => parts.map(({ name }) => name);
/** Names of the deferred parts, and of those that an index always has. */
export const deferredParts: readonly string[] = namesOf([...indexes, ...foreignKeys]);
export const keptParts: readonly string[] = namesOf([...keptIndexes, ...keptForeignKeys]);

/** A row whose block is missing from the index: a reorg left it behind. */
export class OrphanedRowsError extends Error {
  override readonly name = "OrphanedRowsError";

  constructor(part: string, cause: unknown) {
    super(
      `The index holds rows of blocks that it does not have (${part} cannot be made): a reorg came while its ` +
        "foreign keys were missing. Nothing was changed. Build it again with `npm run reindex`.",
      { cause },
    );
  }
}

const atOnce = 2;

/**
 * Drops the deferred parts before an initial sync. Until `buildDeferredIndexes` has run, deleting a block does not
 * delete its rows.
 * @returns false where the role does not own the tables
 */
export async function dropDeferredIndexes(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ owned: boolean }>(
    `select bool_and(pg_has_role(relowner, 'usage')) as owned from pg_class
     where oid in ('chain.assets'::regclass, 'chain.links'::regclass, 'chain.blocks'::regclass)`,
  );
  if (rows[0]?.owned !== true) return false;
  for (const { drop } of [...foreignKeys, ...indexes]) await tx.query(drop);
  return true;
}

/** Whether a deferred part is missing. */
export async function deferredIndexesMissing(db: Database): Promise<boolean> {
  return (await missing(db, [...allIndexes, ...allForeignKeys])).length > 0;
}

/**
 * Builds the missing parts, each in a transaction of its own, without blocking reads.
 * @param onPart called with the name of each part before it is built
 * @param signal cancels the running part; then it throws
 */
export async function buildDeferredIndexes(
  pool: Pool,
  onPart: (name: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const queue = await missing(pool, allIndexes);
  const workers = Array.from({ length: atOnce }, async () => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) await make(part);
  });
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  for (const part of await missing(pool, allForeignKeys)) await make(part);

  async function make({ name, make: text }: DeferredPart): Promise<void> {
    signal?.throwIfAborted();
    onPart(name);
    await inTransaction(pool, async (tx) => {
      await endWithClient(tx);
      // Two are built at a time; parallel workers for each would only wait for a processor.
      await tx.query("set local max_parallel_maintenance_workers = 0");
      await untilAborted(tx, signal, () => queryPatiently(tx, text));
    }).catch((error: unknown) => {
      throw isBrokenReference(error) ? new OrphanedRowsError(name, error) : error;
    });
  }
}

/** Milliseconds between attempts to cancel: one that arrives before the statement has begun is lost. */
const cancelEvery = 200;

/** Runs a statement, and cancels it on the server when the signal aborts. */
async function untilAborted<Result>(
  tx: Transaction,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    timer = setTimeout(cancel, cancelEvery);
    void cancelStatement(tx);
  };
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    signal?.removeEventListener("abort", cancel);
    clearTimeout(timer);
  }
}

/** Builds the missing parts inside a transaction, for an index that is still empty. */
export async function makeMissingParts(tx: Transaction): Promise<void> {
  for (const { make } of await missing(tx, [...allIndexes, ...allForeignKeys])) await tx.query(make);
}

const isBrokenReference = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "23503";

/** Makes the server end a long statement whose client is gone, where its operating system supports that. */
async function endWithClient(tx: Transaction): Promise<void> {
  await tx.query("savepoint before_setting");
  await tx
    .query("set local client_connection_check_interval = '2s'")
    .catch(() => tx.query("rollback to before_setting"));
}

async function missing(db: Database, parts: readonly DeferredPart[]): Promise<DeferredPart[]> {
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'chain'::regnamespace and relkind = 'i'
     union all select conname from pg_constraint where connamespace = 'chain'::regnamespace and contype = 'f'`,
  );
  const there = new Set(rows.map(({ name }) => name));
  return parts.filter(({ name }) => !there.has(name));
}
