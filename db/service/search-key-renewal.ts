import type { Transaction } from "../core/pool.ts";
import { searchKeys, searchKeysVersion } from "../core/search-keys.ts";

/** Tables with search keys, and the texts that they are made of. */
const tables = {
  "chain.assets": { idType: "bytea", name: "name", method: "method", hash: "hash", within: "true" },
  "service.requests": {
    idType: "uuid",
    name: "details->>'name'",
    method: "coalesce(details->>'method', '')",
    hash: "coalesce(details->>'hash', '')",
    within: "kind = 'create'",
  },
} as const;
export type KeyedTable = keyof typeof tables;
export const keyedTables = Object.keys(tables) as KeyedTable[];

/** Rows of one transaction, which takes some hundredths of a second. */
const atOnce = 1_000;
/** Characters of a text that its key may depend on, and a few more to detect longer texts. */
const enough = 1_100;

type Row = {
  id: string;
  name: string;
  method: string;
  hash: string;
  name_key: string | null;
  file_digest: Buffer | null;
};

/**
 * Updates the search keys of the next rows of a table to this version. Until then a row is found by its old key, where
 * the two are equal.
 * @returns how many rows changed, and whether rows are left
 */
export async function renewSearchKeys(
  tx: Transaction,
  table: KeyedTable,
): Promise<{ changed: number; done: boolean }> {
  const { idType, within, ...texts } = tables[table];
  const progress = await progressOf(tx, table);
  if (progress.done) return { changed: 0, done: true };
  const { rows } = await tx.query<Row & { is_keyed: boolean }>(
    `select id::text as id, is_keyed, name_key, file_digest, left(name, ${enough}) as name,
       left(method, ${enough}) as method, left(hash, ${enough}) as hash
     from (
       select id, (${within}) as is_keyed, name_key, file_digest, ${texts.name} as name, ${texts.method} as method,
         ${texts.hash} as hash
       from ${table} where ($1::text is null or id > $1::${idType}) order by id limit ${atOnce}) next`,
    [progress.lastId],
  );
  const changed = rows
    .filter(({ is_keyed }) => is_keyed)
    .map((row) => ({ row, keys: searchKeys(row) }))
    .filter(({ row, keys }) => row.name_key !== keys.nameKey || !isSame(row.file_digest, keys.fileDigest));
  if (changed.length > 0) {
    await tx.query(
      `update ${table} set name_key = renewed.name_key, file_digest = renewed.file_digest
       from unnest($1::${idType}[], $2::text[], $3::bytea[]) as renewed (id, name_key, file_digest)
       where ${table}.id = renewed.id`,
      [
        changed.map(({ row }) => row.id),
        changed.map(({ keys }) => keys.nameKey),
        changed.map(({ keys }) => keys.fileDigest ?? null),
      ],
    );
  }
  const done = rows.length < atOnce;
  await tx.query("update service.search_key_renewals set last_id = $2, done = $3 where relation = $1", [
    table,
    rows.at(-1)?.id ?? progress.lastId,
    done,
  ]);
  return { changed: changed.length, done };
}

const isSame = (stored: Buffer | null, computed: Buffer | undefined): boolean =>
  stored === null || computed === undefined
    ? stored === null && computed === undefined
    : stored.equals(computed);

/** Starts over for another version of the keys. */
async function progressOf(
  tx: Transaction,
  table: KeyedTable,
): Promise<{ lastId: string | null; done: boolean }> {
  const { rows } = await tx.query<{ last_id: string | null; done: boolean }>(
    `insert into service.search_key_renewals as known (relation, version) values ($1, $2)
     on conflict (relation) do update set version = excluded.version,
       last_id = case when known.version = excluded.version then known.last_id end,
       done = known.done and known.version = excluded.version
     returning last_id, done`,
    [table, searchKeysVersion],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("An upsert answers its row");
  return { lastId: row.last_id, done: row.done };
}
