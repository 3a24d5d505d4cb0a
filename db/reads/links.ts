import type { AssetId } from "../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../../domain/bytes.ts";
import type { Database } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";

/** Where a link stands among those of its asset. */
export type LinkPlace = readonly [blockNumber: number, logIndex: number];

/** A page of the links of an asset, both directions. */
export type LinkQuestion = {
  id: AssetId;
  /** Behind which link each direction goes on; null where it has ended. */
  from: LinkPlace | null;
  to: LinkPlace | null;
  skip: number;
  size: number;
};

/** The assets at the other ends, and where the last of these links stands if there are more; null if not. */
export type LinkPart = { ids: AssetId[]; end: LinkPlace | null };

export type LinkReading = { from: LinkPart; to: LinkPart };

/** One row for each direction: a thousand of them take longer to read than to find. */
const part = (name: "from" | "to", own: "parent" | "child", other: "parent" | "child"): string => `
  cross join lateral (
    select coalesce(string_agg('0x' || encode(id, 'hex'), ' '), '') as ids, count(*) as count,
      (array_agg(block_number))[asked.size] as block, (array_agg(log_index))[asked.size] as log
    from (
      select ${other} as id, block_number, log_index from chain.links
      where ${own} = asked.id and revoked_block is null
        and (block_number, log_index) > (asked.${name}_block, asked.${name}_log)
      order by block_number, log_index offset asked.skip limit asked.size + 1) part) as to_${other}`;

const links = statement(`
  select asked.place, asked.size, to_parent.ids as from_ids, to_parent.count as from_count,
    to_parent.block as from_block, to_parent.log as from_log,
    to_child.ids as to_ids, to_child.count as to_count, to_child.block as to_block, to_child.log as to_log
  from (
    select place, decode(substr(id, 3), 'hex') as id, from_block, from_log, to_block, to_log, skip, size
    from json_to_recordset($1::json) as listed (place integer, id text, from_block bigint, from_log bigint,
      to_block bigint, to_log bigint, skip integer, size integer)) asked
  cross join lateral (select from chain.assets where id = asked.id limit 1) asset
  ${part("from", "child", "parent")}
  ${part("to", "parent", "child")}`);

type LinkRow = {
  place: number;
  size: number;
  from_ids: string;
  from_count: number;
  from_block: number | null;
  from_log: number | null;
  to_ids: string;
  to_count: number;
  to_block: number | null;
  to_log: number | null;
};

/** Links that stand, in the order of linking; undefined of what is no asset of the chain. */
export async function readLinks(
  db: Database,
  questions: readonly LinkQuestion[],
): Promise<(LinkReading | undefined)[]> {
  const asked = questions.map(({ id, from, to, skip, size }, place) => {
    const [from_block, from_log] = from ?? [null, null];
    const [to_block, to_log] = to ?? [null, null];
    return { place, id, from_block, from_log, to_block, to_log, skip, size };
  });
  const readings: (LinkReading | undefined)[] = questions.map(() => undefined);
  for (const row of await ask<LinkRow>(db, links, [JSON.stringify(asked)])) {
    readings[row.place] = {
      from: parsePart(row.size, row.from_ids, row.from_count, row.from_block, row.from_log),
      to: parsePart(row.size, row.to_ids, row.to_count, row.to_block, row.to_log),
    };
  }
  return readings;
}

function parsePart(
  size: number,
  list: string,
  count: number,
  block: number | null,
  log: number | null,
): LinkPart {
  const ids = list === "" ? [] : (list.split(" ") as AssetId[]);
  if (count <= size || block === null || log === null) return { ids, end: null };
  return { ids: ids.slice(0, size), end: [block, log] };
}

export type PairState = { child: AssetId; times: number; stands: boolean };

/** For each child: how often the parent was linked to it, and whether that link stands now. */
export async function pairStates(
  db: Database,
  parent: AssetId,
  children: readonly AssetId[],
): Promise<PairState[]> {
  const { rows } = await db.query<{ child: Buffer; times: number; stands: boolean }>(
    // The newest of each pair says both: they are counted without gaps.
    `select asked.child, coalesce(newest.nth, 0) as times, newest.nth is not null and newest.revoked_block is null as stands
     from unnest($2::bytea[]) with ordinality as asked (child, ordinal)
     left join lateral (
       select nth, revoked_block from chain.links where parent = $1 and child = asked.child
       order by nth desc limit 1) newest on true
     order by asked.ordinal`,
    [toBytes(parent), children.map(toBytes)],
  );
  return rows.map(({ child, times, stands }) => ({ child: fromBytes(child), times, stands }));
}
