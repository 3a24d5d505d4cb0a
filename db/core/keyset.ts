/** The values of a list, each a column of a row named `asked` in SQL: one statement may answer many lists. */
export class Bound {
  /** As JSON can hold them. */
  readonly values: Record<string, unknown> = {};
  /** Names and types of the columns. */
  readonly columns: string[] = [];

  add(value: unknown, type: string): string {
    const name = `v${this.columns.length}`;
    this.values[name] = asJson(value);
    this.columns.push(`${name} ${type}`);
    return `asked.${name}`;
  }
}

function asJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJson);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
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
  order: readonly [string, string];
  /** How the id and the two columns of the order are read, as texts. */
  read: { id: string; place: readonly [string, string] };
};

/** The part of a list to read, in SQL: rows behind a place, whose first column is at least `from`. */
export type Bounds = { below: Place<string>; from: string };

/** A column that the index holds before those of the order, and its value in SQL. */
export type Equal = readonly [column: string, value: string];

/** Rows that a scan looks at beyond those that it answers. */
const scanBudget = 5_000;

const newestFirst = (columns: readonly string[]): string =>
  `order by ${columns.map((column) => `${column} desc`)}`;

/** Named so, because `id` is also a name of what is read. */
const listed = (columns: readonly string[]): string[] => columns.map((column) => `listed.${column}`);

const allOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "true" : conditions.join(" and ");

/** In SQL: the id of a row and its place, as texts. */
export const idAndPlace = ({ read: { id, place } }: Listing): string =>
  `${id} as id, ${place[0]} as first, ${place[1]} as second`;

/**
 * A walk along an index whose first columns are `equal` and whose last two are the list's order. It looks at no more
 * rows than its budget, so that what is rare among many rows costs many short answers and not one endless one.
 *
 * The bounds are row comparisons and the order names every column, so that only this index can serve it, whatever the
 * statistics are.
 */
function walked(list: Listing, equal: readonly Equal[], { below, from }: Bounds, budget: number): string {
  const columns = [...equal.map(([column]) => column), ...list.order];
  const values = equal.map(([, value]) => value);
  return `select * from ${list.table} where ${list.within}
      and (${columns}) < (${[...values, ...below]})
      and (${columns.slice(0, -1)}) >= (${[...values, from]})
    ${newestFirst(columns)} limit ${budget}`;
}

/** In SQL: the rows of a walk that meet the conditions. */
export function walk(
  list: Listing,
  equal: readonly Equal[],
  bounds: Bounds,
  conditions: readonly string[],
  limit: number,
): string {
  const budget = conditions.length === 0 ? limit : limit + scanBudget;
  return `select listed.* from (${walked(list, equal, bounds, budget)}) as listed
    where ${allOf(conditions)} ${newestFirst(listed(list.order))} limit ${limit}`;
}

/** In SQL: where such a walk ended before the list did, as `idAndPlace` reads it; no row where it did not. */
export function endOfWalk(list: Listing, equal: readonly Equal[], bounds: Bounds, limit: number): string {
  const budget = limit + scanBudget;
  return `select ${idAndPlace(list)} from (${walked(list, equal, bounds, budget)}) as listed
    ${newestFirst(listed(list.order))} offset ${budget - 1} limit 1`;
}

/** In SQL: those of a few rows, with these ids, that meet the bounds and conditions, in the order of the list. */
export function pick(
  list: Listing,
  ids: string,
  { below, from }: Bounds,
  conditions: readonly string[],
  limit: number,
): string {
  return `select listed.* from ${list.table} as listed
    where id = any(${ids}) and ${list.within} and (${list.order}) < (${below}) and ${list.order[0]} >= ${from}
      and ${allOf(conditions)}
    ${newestFirst(listed(list.order))} limit ${limit}`;
}
