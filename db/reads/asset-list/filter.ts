import type { Address } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import type { Condition } from "../../core/keyset.ts";
import { inTransaction, type Pool, type Transaction } from "../../core/pool.ts";

/** The filter of a list of assets; an undefined member does not restrict it. */
export type AssetFilter = {
  author: Address | undefined;
  /** Digest of method and hash. */
  file: Buffer | undefined;
  /** Key of the beginning of the name. */
  nameStart: string | undefined;
  /** Keys of words of the name. */
  words: readonly string[] | undefined;
  /** Assets that point to this one, and those that it points to, by links that stand. */
  linkedTo: AssetId | undefined;
  linkedFrom: AssetId | undefined;
};

const wordsOf = "string_to_array(name_key, ' ')";
/** Behind every name that begins with a key: no key holds this character. */
const lastCharacter = "\u{10ffff}";

export const equals =
  (column: string, value: unknown, type: string): Condition =>
  (bound) =>
    `${column} = ${bound.add(value, type)}`;
const beginsWith =
  (start: string): Condition =>
  (bound) =>
    `name_key >= ${bound.add(start, "text")} and name_key < ${bound.add(start + lastCharacter, "text")}`;
const hasWords =
  (words: readonly string[]): Condition =>
  (bound) =>
    `${wordsOf} @> ${bound.add(words, "text[]")}`;

const isLinked =
  (parent: AssetId | "listed.id", child: AssetId | "listed.id"): Condition =>
  (bound) => {
    const side = (end: string) => (end === "listed.id" ? end : bound.add(toBytes(end as AssetId), "bytea"));
    // `offset 0` keeps the planner from reading all links of an asset that has many.
    return `exists (select from chain.links link where link.parent = ${side(parent)}
      and link.child = ${side(child)} and link.revoked_block is null offset 0)`;
  };

/** @param held a filter that the index itself holds */
export function conditionsOf(filter: AssetFilter, held?: "author" | "file"): Condition[] {
  const { author, file, nameStart, words, linkedTo, linkedFrom } = filter;
  return [
    ...(author === undefined || held === "author" ? [] : [equals("author", toBytes(author), "bytea")]),
    ...(file === undefined || held === "file" ? [] : [equals("file_digest", file, "bytea")]),
    ...(nameStart === undefined ? [] : [beginsWith(nameStart)]),
    ...(words === undefined ? [] : [hasWords(words)]),
    ...(linkedTo === undefined ? [] : [isLinked("listed.id", linkedTo)]),
    ...(linkedFrom === undefined ? [] : [isLinked(linkedFrom, "listed.id")]),
  ];
}

/** Most rows that are sorted. */
const fewRows = 1_000;

/**
 * Assets of the chain that one of the filters leaves, where it leaves few. Each is asked for at most a few more than
 * that, along its own index.
 */
export async function fewAssets(pool: Pool, filter: AssetFilter): Promise<Buffer[] | undefined> {
  const { nameStart, words, linkedTo, linkedFrom } = filter;
  // In the order of the index, which leaves the planner no other way.
  const linked = (wanted: string, given: string, id: AssetId) =>
    few<Buffer>(
      pool,
      `select ${wanted} as id from chain.links where ${given} = $1 and revoked_block is null
       order by ${given}, block_number, log_index`,
      [toBytes(id)],
    );
  return (
    (linkedTo && (await linked("parent", "child", linkedTo))) ??
    (linkedFrom && (await linked("child", "parent", linkedFrom))) ??
    (nameStart === undefined
      ? undefined
      : await few<Buffer>(
          pool,
          "select id from chain.assets where name_key >= $1 and name_key < $2 order by name_key",
          [nameStart, nameStart + lastCharacter],
        )) ??
    (words && (await assetsWithWords(pool, words)))
  );
}

/** Keeps the planner to the index of words: of words that are many it would read the table until it has enough. */
function assetsWithWords(pool: Pool, words: readonly string[]): Promise<Buffer[] | undefined> {
  return inTransaction(pool, async (tx) => {
    await tx.query(
      "select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)",
    );
    return await few<Buffer>(tx, `select id from chain.assets where ${wordsOf} @> $1::text[]`, [words]);
  });
}

/** Open creations of a tenant whose names begin so, where they are few. */
export function fewCreations(
  pool: Pool,
  tenant: string,
  nameStart: string,
  within: string,
): Promise<string[] | undefined> {
  return few<string>(
    pool,
    `select id from service.requests where ${within} and tenant = $1 and name_key >= $2 and name_key < $3
     order by tenant, name_key`,
    [tenant, nameStart, nameStart + lastCharacter],
  );
}

async function few<Id>(db: Pool | Transaction, sql: string, values: unknown[]): Promise<Id[] | undefined> {
  const { rows } = await db.query<{ id: Id }>(`${sql} limit ${fewRows + 1}`, values);
  return rows.length > fewRows ? undefined : rows.map(({ id }) => id);
}
