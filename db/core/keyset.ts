import { limits } from "../../domain/limits.ts";
import type { Database } from "./pool.ts";
import { ask, type Statement, statement } from "./statement.ts";

/** Bound values of a statement, each written as `$n::type` in its text. */
export class Bound {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** A condition on a row of the list, which is named `listed` in SQL. */
export type Condition = (bound: Bound) => string;

/** Position of a row in its list, by the two columns of the order. */
export type Place<Key = string | number> = readonly [Key, Key];

/** A list, newest first, in the order of an index. */
export type Listing = {
  table: string;
  /** The predicate of a partial index; `true` where it is not partial. */
  within: string;
  /** The two columns of the order: expressions, comparisons and types. */
  order: readonly [string, string];
  read: readonly [string, string];
  types: readonly [string, string];
};

export type Bounds = {
  /** Only rows after this position. */
  below: Place;
  /** Only rows whose first column is at least this. */
  from: string | number;
};

export type ListRow = { id: string; place: Place };
export type ListPart = {
  rows: ListRow[];
  /** Where the scan stopped, if it did not reach the end of the list. */
  stopped: Place | undefined;
};

/** Rows that a scan reads beyond its results, and most rows that are sorted. */
export const scanBudget = 5_000;
export const fewRows = 1_000;

/** Most prepared scans, each of which uses memory in every connection. */
const mostNamed = 100;
const named = new Map<string, Statement>();

/** Common scans are prepared, because planning takes longer than running; unusual page sizes are not. */
async function scanned(
  db: Database,
  text: string,
  values: unknown[],
  isUsual: boolean,
): Promise<ScannedRow[]> {
  let known = named.get(text);
  if (known === undefined && isUsual && named.size < mostNamed) {
    known = statement(text);
    named.set(text, known);
  }
  if (known !== undefined) return await ask<ScannedRow>(db, known, values);
  return (await db.query<ScannedRow>(text, values)).rows;
}

type ScannedRow = { id: string; first: string | number; second: string | number };

const rowsOf = (rows: ScannedRow[]): ListRow[] =>
  rows.map(({ id, first, second }) => ({ id, place: [first, second] }));

/**
 * Scans a list along an index whose first columns are `equal` and whose last two are the list's order, and returns the
 * rows that meet the conditions. It reads no more rows than its budget, so that a rare match costs many short queries
 * instead of one endless one.
 *
 * The bounds are row comparisons and the order names every column, so that only this index can serve it, whatever the
 * statistics are.
 */
export async function walk(
  db: Database,
  list: Listing,
  equal: readonly (readonly [column: string, value: unknown, type: string])[],
  { below, from }: Bounds,
  conditions: readonly Condition[],
  limit: number,
): Promise<ListPart> {
  const bound = new Bound();
  const columns = [...equal.map(([column]) => column), ...list.order];
  const values = equal.map(([, value, type]) => bound.add(value, type));
  const [first, second] = [bound.add(below[0], list.types[0]), bound.add(below[1], list.types[1])];
  const least = bound.add(from, list.types[0]);
  const budget = limit + scanBudget;
  const newestFirst = `order by ${list.order.map((column) => `${column} desc`)}`;
  const walked = `select * from ${list.table} where ${list.within}
      and (${columns}) < (${[...values, first, second]})
      and (${columns.slice(0, -1)}) >= (${[...values, least]})
    order by ${columns.map((column) => `${column} desc`)} limit ${budget}`;
  const read = `id, ${list.read[0]} as first, ${list.read[1]} as second`;
  const ofRows = `select ${read} from (${walked}) as listed where ${allOf(conditions, bound)}
    ${newestFirst} limit ${limit}`;
  const isUsual = limit === limits.page.default + 1;
  const rows = rowsOf(await scanned(db, ofRows, bound.values, isUsual));
  if (rows.length === limit || conditions.length === 0) return { rows, stopped: undefined };
  const used = bound.values.slice(0, values.length + 3);
  const ofEnd = `select ${read} from (${walked}) as listed ${newestFirst} offset ${budget - 1} limit 1`;
  return { rows, stopped: rowsOf(await scanned(db, ofEnd, used, isUsual))[0]?.place };
}

/** Filters a few rows by the bounds and conditions, in the order of the list. */
export async function pick(
  db: Database,
  list: Listing,
  ids: { values: readonly unknown[]; type: string },
  { below, from }: Bounds,
  conditions: readonly Condition[],
  limit: number,
): Promise<ListRow[]> {
  const bound = new Bound();
  const listed = bound.add(ids.values, `${ids.type}[]`);
  const [first, second] = [bound.add(below[0], list.types[0]), bound.add(below[1], list.types[1])];
  const { rows } = await db.query<ScannedRow>(
    `select id, ${list.read[0]} as first, ${list.read[1]} as second from ${list.table} as listed
     where id = any(${listed}) and ${list.within} and (${list.order}) < (${first}, ${second})
       and ${list.order[0]} >= ${bound.add(from, list.types[0])} and ${allOf(conditions, bound)}
     order by ${list.order.map((column) => `${column} desc`)} limit ${limit}`,
    bound.values,
  );
  return rowsOf(rows);
}

function allOf(conditions: readonly Condition[], bound: Bound): string {
  return conditions.length === 0 ? "true" : conditions.map((condition) => condition(bound)).join(" and ");
}
