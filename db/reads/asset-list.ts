import type { Address } from "viem";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { AssetState } from "../../domain/request/state.ts";
import { toBytes } from "../core/bytes.ts";
import {
  type Bounds,
  type Condition,
  fewRows,
  type Listing,
  type ListPart,
  type ListRow,
  type Place,
  pick,
  walk,
} from "../core/keyset.ts";
import type { Transaction } from "../core/pool.ts";

/** What assets are asked for; what is undefined does not matter. */
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

const equals =
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

function conditionsOf(filter: AssetFilter): Condition[] {
  const { author, file, nameStart, words, linkedTo, linkedFrom } = filter;
  return [
    ...(author === undefined ? [] : [equals("author", toBytes(author), "bytea")]),
    ...(file === undefined ? [] : [equals("file_digest", file, "bytea")]),
    ...(nameStart === undefined ? [] : [beginsWith(nameStart)]),
    ...(words === undefined ? [] : [hasWords(words)]),
    ...(linkedTo === undefined ? [] : [isLinked("listed.id", linkedTo)]),
    ...(linkedFrom === undefined ? [] : [isLinked(linkedFrom, "listed.id")]),
  ];
}

const isLinked =
  (parent: AssetId | "listed.id", child: AssetId | "listed.id"): Condition =>
  (bound) => {
    const side = (end: string) => (end === "listed.id" ? end : bound.add(toBytes(end as AssetId), "bytea"));
    return `exists (select from chain.links link where link.parent = ${side(parent)}
      and link.child = ${side(child)} and link.revoked_block is null)`;
  };

const chainList: Listing = {
  table: "chain.assets",
  within: "true",
  order: ["block_number", "log_index"],
  read: ["block_number", "log_index"],
  types: ["bigint", "bigint"],
};
/** The index of hashes leaves out assets without one, and the planner takes it only where this is said. */
const hashedList: Listing = { ...chainList, within: "file_digest is not null" };

/** Assets of the current chain, newest first. */
export async function assetsListed(
  tx: Transaction,
  filter: AssetFilter,
  bounds: Bounds,
  limit: number,
): Promise<ListPart> {
  const conditions = conditionsOf(filter);
  const few = await fewAssets(tx, filter);
  if (few !== undefined) {
    const ids = { values: few, type: "bytea" };
    return { rows: await pick(tx, chainList, ids, bounds, conditions, limit), stopped: undefined };
  }
  const { author, file } = filter;
  if (file !== undefined) {
    return walk(
      tx,
      hashedList,
      [["file_digest", file, "bytea"]],
      bounds,
      without(conditions, filter, "file"),
      limit,
    );
  }
  if (author !== undefined) {
    const equal = [["author", toBytes(author), "bytea"]] as const;
    return walk(tx, chainList, equal, bounds, without(conditions, filter, "author"), limit);
  }
  return walk(tx, chainList, [], bounds, conditions, limit);
}

/** The conditions that are left when the index itself holds one of them. */
function without(all: Condition[], filter: AssetFilter, held: "author" | "file"): Condition[] {
  const rest = conditionsOf({ ...filter, [held]: undefined });
  return rest.length === all.length ? all : rest;
}

/**
 * Assets that one of the filters leaves, where it leaves few. Each is asked for at most a few more than that,
 * along its own index.
 */
async function fewAssets(tx: Transaction, filter: AssetFilter): Promise<Buffer[] | undefined> {
  const { nameStart, words, linkedTo, linkedFrom } = filter;
  const most = fewRows + 1;
  const ask = async (sql: string, values: unknown[]): Promise<Buffer[] | undefined> => {
    const { rows } = await tx.query<{ id: Buffer }>(`${sql} limit ${most}`, values);
    return rows.length < most ? rows.map(({ id }) => id) : undefined;
  };
  // In the order of the index, which leaves the planner no other way.
  const linked = (wanted: string, given: string, id: AssetId) =>
    ask(
      `select ${wanted} as id from chain.links where ${given} = $1 and revoked_block is null
       order by ${given}, block_number, log_index`,
      [toBytes(id)],
    );
  return (
    (linkedTo && (await linked("parent", "child", linkedTo))) ??
    (linkedFrom && (await linked("child", "parent", linkedFrom))) ??
    (nameStart === undefined
      ? undefined
      : await ask("select id from chain.assets where name_key >= $1 and name_key < $2 order by name_key", [
          nameStart,
          nameStart + lastCharacter,
        ])) ??
    (words &&
      (await byBitmap(tx, () => ask(`select id from chain.assets where ${wordsOf} @> $1::text[]`, [words]))))
  );
}

/** Keeps the planner to the index of words: of words that are many it would read the table until it has enough. */
async function byBitmap<Result>(tx: Transaction, work: () => Promise<Result>): Promise<Result> {
  const set = (value: "on" | "off") =>
    tx.query(
      `select set_config('enable_seqscan', '${value}', true), set_config('enable_indexscan', '${value}', true)`,
    );
  await set("off");
  const result = await work();
  await set("on");
  return result;
}

/** Creations that may not be on the chain, as the partial indexes hold them. */
const requestList: Listing = {
  table: "service.requests",
  within: "kind = 'create' and not (settled and noted_state = 'Confirmed')",
  order: ["created_at", "id"],
  read: [`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, "id"],
  types: ["timestamptz", "uuid"],
};

export type PendingFilter = {
  tenant: string;
  /** The state noted last. */
  state: AssetState | undefined;
  /** Assets that the chain had up to this block are listed as assets of the chain. */
  upTo: number;
  /** Newest block of the index. */
  head: number;
};

/**
 * Creations of a tenant whose assets were not on the chain up to a block, newest first. Those that got there
 * after it are still here, so that none is missed or met again while a reader goes from page to page.
 * @returns ids of requests; undefined where too much was mined since that block
 */
export async function creationsListed(
  tx: Transaction,
  filter: AssetFilter,
  { tenant, state, upTo, head }: PendingFilter,
  bounds: Bounds,
  limit: number,
): Promise<ListPart | undefined> {
  const late = state === undefined && upTo < head ? await creationsMinedSince(tx, tenant, upTo) : [];
  if (late === undefined) return undefined;
  const notBefore: Condition = (bound) =>
    `not exists (select from chain.assets asset where asset.id = listed.asset_id
      and asset.block_number <= ${bound.add(upTo, "bigint")})`;
  const conditions = [
    equals("tenant", tenant, "text"),
    ...conditionsOf(filter),
    ...(state === undefined ? [] : [equals("noted_state", state, "text")]),
    notBefore,
  ];
  const open = await openCreations(tx, filter, { tenant, state }, bounds, conditions, limit);
  if (late.length === 0) return open;
  const everyone = { ...requestList, within: "kind = 'create'" };
  const more = await pick(tx, everyone, { values: late, type: "uuid" }, bounds, conditions, limit);
  const merged = mergeNewestFirst(open.rows, more);
  const { stopped } = open;
  // Behind the place where the scan stopped, others may stand between these.
  const seen = stopped === undefined ? merged : merged.filter(({ place }) => compare(place, stopped) >= 0);
  return { rows: seen.slice(0, limit), stopped: seen.length < limit ? stopped : undefined };
}

async function openCreations(
  tx: Transaction,
  { author, file, nameStart }: AssetFilter,
  { tenant, state }: Pick<PendingFilter, "tenant" | "state">,
  bounds: Bounds,
  conditions: readonly Condition[],
  limit: number,
): Promise<ListPart> {
  if (nameStart !== undefined) {
    const { rows } = await tx.query<{ id: string }>(
      `select id from service.requests where ${requestList.within} and tenant = $1
         and name_key >= $2 and name_key < $3
       order by tenant, name_key limit ${fewRows + 1}`,
      [tenant, nameStart, nameStart + lastCharacter],
    );
    if (rows.length <= fewRows) {
      const ids = { values: rows.map(({ id }) => id), type: "uuid" };
      return { rows: await pick(tx, requestList, ids, bounds, conditions, limit), stopped: undefined };
    }
  }
  const more = (): (readonly [string, unknown, string])[] => {
    if (file !== undefined) return [["file_digest", file, "bytea"]];
    if (author !== undefined) return [["author", toBytes(author), "bytea"]];
    return state === undefined ? [] : [["noted_state", state, "text"]];
  };
  return walk(tx, requestList, [["tenant", tenant, "text"], ...more()], bounds, conditions, limit);
}

const mostMined = 10_000;

/** Creations of a tenant that a block after this one brought to the chain. */
async function creationsMinedSince(
  tx: Transaction,
  tenant: string,
  block: number,
): Promise<string[] | undefined> {
  const { rows } = await tx.query<{ id: string | null }>(
    `select request.id from (
       select id from chain.assets where block_number > $1
       order by block_number, log_index limit ${mostMined + 1}) mined
     left join lateral (
       select id from service.requests
       where asset_id = mined.id and kind = 'create' and tenant = $2 limit 1) request on true`,
    [block, tenant],
  );
  return rows.length > mostMined ? undefined : rows.flatMap(({ id }) => id ?? []);
}

function mergeNewestFirst(a: readonly ListRow[], b: readonly ListRow[]): ListRow[] {
  const all = new Map([...a, ...b].map((row) => [row.id, row]));
  return [...all.values()].sort((one, other) => compare(other.place, one.place));
}

/** Times of one form and ids sort as texts do. */
function compare(a: Place, b: Place): number {
  return a[0] === b[0] ? (a[1] < b[1] ? -1 : Number(a[1] > b[1])) : a[0] < b[0] ? -1 : 1;
}

/** The blocks from one time to before another, in seconds since 1970. */
export async function blocksBetween(
  tx: Transaction,
  from: number | undefined,
  before: number | undefined,
): Promise<{ from: number; before: number }> {
  const firstFrom = async (seconds: number): Promise<number> => {
    const { rows } = await tx.query<{ number: number }>(
      "select number from chain.blocks where timestamp >= $1 order by timestamp, number limit 1",
      [seconds],
    );
    return rows[0]?.number ?? Number.MAX_SAFE_INTEGER;
  };
  return {
    from: from === undefined ? 0 : await firstFrom(from),
    before: before === undefined ? Number.MAX_SAFE_INTEGER : await firstFrom(before),
  };
}
