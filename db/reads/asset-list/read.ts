import { Bound, type Place } from "../../core/keyset.ts";
import type { Pool } from "../../core/pool.ts";
import { ask, type Statement, statement } from "../../core/statement.ts";
import { type AssetReading, parseReading } from "../assets.ts";
import { chainPart } from "./chain-part.ts";
import { isUsual, type ListQuestion, type Part } from "./question.ts";
import { creationsMinedSince, latePart, requestPart } from "./request-part.ts";

export type ListRow = { id: string; place: Place<string> };
/** With the asset where it is shown, no request is listed before it, and it fits into the answer. */
export type AssetRow = ListRow & { read: AssetReading | undefined };
export type ListPart<Listed = ListRow> = {
  rows: Listed[];
  /** Where the scan ended before the list did. */
  stopped: Place<string> | undefined;
};

export type ListAnswer = {
  /** Newest block of the index; -1 before the first. */
  blockNumber: number;
  /** Ids of requests. */
  requests: ListPart;
  /** Ids of assets, in hex. */
  chain: ListPart<AssetRow>;
};

/** A list to run: lists of one text can be run together. */
export type ListStatement = { text: string; values: Record<string, unknown>; isUsual: boolean };

/**
 * Reads a page of the list of assets by one statement: ids and places of a tenant's creations that are not on the chain,
 * and of the assets of the chain, each newest first; where the page has no requests, the assets too. Filters by name, word
 * and link are looked up before.
 * @returns undefined where too much was mined since the block of the first page
 */
export async function readAssetList(
  pool: Pool,
  question: ListQuestion,
  run: (list: ListStatement) => Promise<Row[]> = async (list) => (await runLists(pool, [list]))[0] ?? [],
): Promise<ListAnswer | undefined> {
  const late = await creationsMinedSince(pool, question);
  if (late === undefined) return undefined;
  const bound = new Bound();
  const request = await requestPart(pool, question, bound);
  const isAlone =
    late.length > 0 ? "false" : request === undefined ? "true" : "not exists (select from request)";
  const parts = {
    request,
    late: late.length === 0 ? undefined : latePart(question, late, bound),
    asset: await chainPart(pool, question, isAlone, bound),
  };
  const rows = await run({
    text: sqlOf(parts, bound, question.limit),
    values: bound.values,
    isUsual: isUsual(question) && late.length === 0,
  });
  const rowsOf = (kind: Kind): ListRow[] => rows.filter((row) => row.kind === kind).map(parseRow);
  const stopped = (kind: keyof typeof parts) => rowsOf(`end of ${kind}`)[0]?.place;
  const requests = { rows: rowsOf("request"), stopped: stopped("request") };
  return {
    blockNumber: Number(rows.find(({ kind }) => kind === "index")?.first ?? -1),
    requests: mergeNewestFirst(requests, rowsOf("late"), question.limit),
    chain: {
      rows: rows.filter(({ kind }) => kind === "asset").map(parseAssetRow),
      stopped: stopped("asset"),
    },
  };
}

type PartName = "request" | "late" | "asset";
type Kind = "index" | PartName | `end of ${PartName}`;
export type Row = { kind: Kind; id: string; first: string; second: string; json: string | null };

const parseRow = ({ id, first, second }: Row): ListRow => ({ id, place: [first, second] });

const parseAssetRow = (row: Row): AssetRow => ({
  ...parseRow(row),
  read: row.json === null ? undefined : parseReading(row.json, `0x${row.id}`),
});

function sqlOf(parts: Record<PartName, Part | undefined>, { columns }: Bound, limit: number): string {
  const given = Object.entries(parts).flatMap(([name, part]) =>
    part === undefined ? [] : [{ name, ...part }],
  );
  const ctes = given.map(({ name, rows }) => `${name} as materialized (${rows})`);
  const index =
    "select 'index' as kind, '' as id, block_number::text as first, '' as second, null as json from chain.cursor";
  const ends = given.flatMap(({ name, end }) =>
    end === undefined
      ? []
      : [
          `select 'end of ${name}', part.*, null from (${end}) part where (select count(*) from ${name}) < ${limit}`,
        ],
  );
  const selects = [index, ...given.map(({ name, read }) => `select '${name}', ${read}`), ...ends];
  return `select asked.list, answer.*
    from (
      select * from json_to_recordset($1::json) as asked (${["list integer", ...columns]}) limit ${listsAtOnce}) asked
    cross join lateral (
      ${ctes.length === 0 ? "" : `with ${ctes.join(",\n")}`}
      ${selects.join("\nunion all\n")}) answer`;
}

/** Most lists of one statement: while one batch is read, the next is viewed. */
export const listsAtOnce = 3;

/** The statements of usual lists, by their texts. */
const prepared = new Map<string, Statement>();

function prepare(text: string): Statement {
  const known = prepared.get(text) ?? statement(text);
  prepared.set(text, known);
  return known;
}

/**
 * Answers lists of one text together. Planning takes longer than walking, but a prepared statement holds half a
 * megabyte in every connection until the process ends: only usual lists are prepared.
 */
export async function runLists(pool: Pool, all: readonly ListStatement[]): Promise<Row[][]> {
  const [first] = all;
  if (first === undefined) return [];
  const { text, isUsual } = first;
  const asked = [JSON.stringify(all.map(({ values }, list) => ({ list, ...values })))];
  type Answered = Row & { list: number };
  const rows = isUsual
    ? await ask<Answered>(pool, prepare(text), asked)
    : (await pool.query<Answered>(text, asked)).rows;
  const answers: Row[][] = all.map(() => []);
  for (const row of rows) answers[row.list]?.push(row);
  return answers;
}

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
