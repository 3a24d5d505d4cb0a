import type { AssetState } from "../../domain/request/state.ts";
import { toBytes } from "../core/bytes.ts";
import {
  Bound,
  type Bounds,
  type Equal,
  endOfWalk,
  type Listing,
  type Place,
  pick,
  walk,
} from "../core/keyset.ts";
import type { Pool } from "../core/pool.ts";
import { ask, type Statement, statement } from "../core/statement.ts";
import { type AssetFilter, conditionsOf, equals, fewAssets, fewCreations } from "./asset-filter.ts";

export type ListQuestion = {
  tenant: string;
  filter: AssetFilter;
  /** Of requests the state noted last. */
  state: AssetState | undefined;
  /** Created at or after the one time, and before the other. */
  createdFrom: Date | undefined;
  createdTo: Date | undefined;
  /**
   * Behind which place the tenant's requests go on, and the block up to which assets are listed as assets of the
   * chain; undefined: the newest. No requests are read where this is undefined.
   */
  requests: { below: Place<string> | undefined; upTo: number | undefined } | undefined;
  /** Behind which place the assets of the chain go on. None are read where this is undefined. */
  chain: { below: Place<number> } | undefined;
  /** Most rows of each. */
  limit: number;
};

export type ListRow = { id: string; place: Place<string> };
export type ListPart = {
  rows: ListRow[];
  /** Where the scan ended before the list did. */
  stopped: Place<string> | undefined;
};

export type ListAnswer = {
  /** Newest block of the index; -1 before the first. */
  blockNumber: number;
  /** Ids of requests. */
  requests: ListPart;
  /** Ids of assets, in hex. */
  chain: ListPart;
};

/** In SQL: the rows of a part of the list, and where its walk ended before the list did. */
type Part = { rows: string; end: string | undefined };

/**
 * Reads a page of the list of assets: ids and places of a tenant's creations that are not on the chain, and of the
 * assets of the chain, each newest first, by one statement. Filters by name, word and link are looked up before.
 * @returns undefined where too much was mined since the block of the first page
 */
export async function readAssetList(pool: Pool, question: ListQuestion): Promise<ListAnswer | undefined> {
  const late = await creationsMinedSince(pool, question);
  if (late === undefined) return undefined;
  const bound = new Bound();
  const parts = {
    request: await requestPart(pool, question, bound),
    late: late.length === 0 ? undefined : latePart(question, late, bound),
    asset: await chainPart(pool, question, bound),
  };
  const rows = await run(pool, sqlOf(parts, question.limit), bound.values);
  const rowsOf = (kind: Kind): ListRow[] =>
    rows.flatMap((row) => (row.kind === kind ? [{ id: row.id, place: [row.first, row.second] }] : []));
  const partOf = (kind: keyof typeof parts): ListPart => ({
    rows: rowsOf(kind),
    stopped: rowsOf(`end of ${kind}`)[0]?.place,
  });
  return {
    blockNumber: Number(rows.find(({ kind }) => kind === "index")?.first ?? -1),
    requests: mergeNewestFirst(partOf("request"), rowsOf("late"), question.limit),
    chain: partOf("asset"),
  };
}

type PartName = "request" | "late" | "asset";
type Kind = "index" | PartName | `end of ${PartName}`;
type Row = { kind: Kind; id: string; first: string; second: string };

function sqlOf(parts: Record<PartName, Part | undefined>, limit: number): string {
  const given = Object.entries(parts).flatMap(([name, part]) =>
    part === undefined ? [] : [{ name, ...part }],
  );
  return `${given.map(({ name, rows }, index) => `${index === 0 ? "with" : ","} ${name} as materialized (${rows})`).join("\n")}
    ${[
      "select 'index' as kind, '' as id, block_number::text as first, '' as second from chain.cursor",
      ...given.map(({ name }) => `select '${name}', ${name}.* from ${name}`),
      ...given.flatMap(({ name, end }) =>
        end === undefined
          ? []
          : [
              `select 'end of ${name}', part.* from (${end}) part where (select count(*) from ${name}) < ${limit}`,
            ],
      ),
    ].join("\n    union all\n    ")}`;
}

/** Most lists that have a name, which holds memory in every connection. */
const mostNamed = 200;
const named = new Map<string, Statement>();

/** Planning takes longer than walking, so lists have names; the rest, such as those of odd sizes, have none. */
async function run(pool: Pool, text: string, values: unknown[]): Promise<Row[]> {
  let known = named.get(text);
  if (known === undefined && named.size < mostNamed) {
    known = statement(text);
    named.set(text, known);
  }
  if (known !== undefined) return await ask<Row>(pool, known, values);
  return (await pool.query<Row>(text, values)).rows;
}

const chainList: Listing = {
  table: "chain.assets",
  within: "true",
  order: ["block_number", "log_index"],
  read: { id: "encode(id, 'hex')", place: ["block_number::text", "log_index::text"] },
};
/** The index of hashes leaves out assets without one, and the planner takes it only where this is said. */
const hashedList: Listing = { ...chainList, within: "file_digest is not null" };

async function chainPart(pool: Pool, question: ListQuestion, bound: Bound): Promise<Part | undefined> {
  const { filter, limit, chain } = question;
  if (chain === undefined) return undefined;
  const few = await fewAssets(pool, filter);
  const bounds = chainBounds(question, chain.below, bound);
  if (few !== undefined) {
    const conditions = conditionsOf(filter).map((condition) => condition(bound));
    return { rows: pick(chainList, bound.add(few, "bytea[]"), bounds, conditions, limit), end: undefined };
  }
  const { author, file } = filter;
  const [list, held, equal]: [Listing, "file" | "author" | undefined, Equal[]] =
    file !== undefined
      ? [hashedList, "file", [["file_digest", bound.add(file, "bytea")]]]
      : author !== undefined
        ? [chainList, "author", [["author", bound.add(toBytes(author), "bytea")]]]
        : [chainList, undefined, []];
  const conditions = conditionsOf(filter, held).map((condition) => condition(bound));
  return {
    rows: walk(list, equal, bounds, conditions, limit),
    end: conditions.length === 0 ? undefined : endOfWalk(list, equal, bounds, limit),
  };
}

const firstFinal = "(select final_number + 1 from chain.cursor)";
const noBlock = String(Number.MAX_SAFE_INTEGER);

/** The first block of a time or later. */
const blockFrom = (time: Date, bound: Bound): string => {
  // Blocks have whole seconds.
  const seconds = bound.add(Math.ceil(time.getTime() / 1000), "bigint");
  return `coalesce((select number from chain.blocks where timestamp >= ${seconds} order by timestamp, number limit 1), ${noBlock})`;
};

function chainBounds(
  { state, createdFrom, createdTo }: ListQuestion,
  [block, log]: Place<number>,
  bound: Bound,
): Bounds {
  const from = [
    ...(createdFrom === undefined ? [] : [blockFrom(createdFrom, bound)]),
    ...(state === "Committed" ? [firstFinal] : []),
  ];
  const before = [
    ...(createdTo === undefined ? [] : [blockFrom(createdTo, bound)]),
    ...(state === "Confirmed" ? [firstFinal] : []),
  ];
  const place = [bound.add(block, "bigint"), bound.add(log, "bigint")] as const;
  return {
    below:
      before.length === 0
        ? place
        : [
            `least(${[...before, place[0]]})`,
            `case when least(${before}) <= ${place[0]} then 0 else ${place[1]} end`,
          ],
    from: from.length === 0 ? bound.add(0, "bigint") : `greatest(${from})`,
  };
}

/** Creations that may not be on the chain, as the partial indexes hold them. */
const requestList: Listing = {
  table: "service.requests",
  within: "kind = 'create' and not (settled and noted_state = 'Confirmed')",
  order: ["created_at", "id"],
  read: {
    id: "id::text",
    place: [`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, "id::text"],
  },
};
const everyCreation: Listing = { ...requestList, within: "kind = 'create'" };

const lastUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const firstUuid = "00000000-0000-0000-0000-000000000000";

async function requestPart(pool: Pool, question: ListQuestion, bound: Bound): Promise<Part | undefined> {
  const { requests, tenant, filter, state, limit } = question;
  if (requests === undefined) return undefined;
  const few =
    filter.nameStart === undefined
      ? undefined
      : await fewCreations(pool, tenant, filter.nameStart, requestList.within);
  const bounds = requestBounds(question, bound);
  if (few !== undefined) {
    const conditions = requestConditions(question, bound);
    return { rows: pick(requestList, bound.add(few, "uuid[]"), bounds, conditions, limit), end: undefined };
  }
  const equal: Equal[] = [["tenant", bound.add(tenant, "text")]];
  const held = filter.file !== undefined ? "file" : filter.author !== undefined ? "author" : undefined;
  if (filter.file !== undefined) equal.push(["file_digest", bound.add(filter.file, "bytea")]);
  else if (filter.author !== undefined) equal.push(["author", bound.add(toBytes(filter.author), "bytea")]);
  else if (state !== undefined) equal.push(["noted_state", bound.add(state, "text")]);
  const conditions = [
    ...conditionsOf(filter, held).map((condition) => condition(bound)),
    ...(held === undefined ? [] : noted(state, bound)),
    notOnChain(question, bound),
  ];
  return {
    rows: walk(requestList, equal, bounds, conditions, limit),
    end: endOfWalk(requestList, equal, bounds, limit),
  };
}

/** @param late requests that got to the chain after the first page was read, which are still listed */
function latePart(question: ListQuestion, late: readonly string[], bound: Bound): Part {
  const ids = bound.add(late, "uuid[]");
  const conditions = requestConditions(question, bound);
  return {
    rows: pick(everyCreation, ids, requestBounds(question, bound), conditions, question.limit),
    end: undefined,
  };
}

function requestConditions(question: ListQuestion, bound: Bound): string[] {
  const { tenant, filter, state } = question;
  return [
    ...[equals("tenant", tenant, "text"), ...conditionsOf(filter)].map((condition) => condition(bound)),
    ...noted(state, bound),
    notOnChain(question, bound),
  ];
}

const noted = (state: AssetState | undefined, bound: Bound): string[] =>
  state === undefined ? [] : [equals("noted_state", state, "text")(bound)];

function notOnChain({ requests }: ListQuestion, bound: Bound): string {
  const upTo = requests?.upTo;
  const listed = upTo === undefined ? "" : `and asset.block_number <= ${bound.add(upTo, "bigint")}`;
  return `not exists (select from chain.assets asset where asset.id = listed.asset_id ${listed})`;
}

function requestBounds({ requests, createdFrom, createdTo }: ListQuestion, bound: Bound): Bounds {
  const below = requests?.below;
  const end = createdTo?.toISOString();
  const place: Place<string> = below ?? ["infinity", lastUuid];
  const isEarlier = end !== undefined && (below === undefined || end <= place[0]);
  const [at, id] = isEarlier ? [end, firstUuid] : place;
  return {
    below: [bound.add(at, "timestamptz"), bound.add(id, "uuid")],
    from: bound.add(createdFrom?.toISOString() ?? "-infinity", "timestamptz"),
  };
}

const mostMined = 10_000;

/** Creations of the tenant that a block after that of the first page brought to the chain; undefined of too many. */
async function creationsMinedSince(
  pool: Pool,
  { requests, state, tenant }: ListQuestion,
): Promise<string[] | undefined> {
  if (requests?.upTo === undefined || state !== undefined) return [];
  const rows = await ask<{ id: string | null }>(pool, minedSince, [requests.upTo, tenant]);
  return rows.length > mostMined ? undefined : rows.flatMap(({ id }) => id ?? []);
}

const minedSince = statement(`
  select request.id from (
    select id from chain.assets where block_number > $1
    order by block_number, log_index limit ${mostMined + 1}) mined
  left join lateral (
    select id from service.requests
    where asset_id = mined.id and kind = 'create' and tenant = $2 limit 1) request on true`);

function mergeNewestFirst({ rows, stopped }: ListPart, late: ListRow[], limit: number): ListPart {
  const all = new Map([...rows, ...late].map((row) => [row.id, row]));
  const merged = [...all.values()].sort((one, other) => compare(other.place, one.place));
  // Behind the place where the scan stopped, others may stand between these.
  const seen = stopped === undefined ? merged : merged.filter(({ place }) => compare(place, stopped) >= 0);
  return { rows: seen.slice(0, limit), stopped: seen.length < limit ? stopped : undefined };
}

/** Times of one form and ids sort as texts do. */
function compare(a: Place<string>, b: Place<string>): number {
  return a[0] === b[0] ? (a[1] < b[1] ? -1 : Number(a[1] > b[1])) : a[0] < b[0] ? -1 : 1;
}
