import type { AssetId } from "../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../core/bytes.ts";
import type { Database } from "../core/pool.ts";

/**
 * The block in which the links from an asset changed last, as an expression of SQL: null where there never was
 * one. Times of blocks do not fall, so its time is that of the newest change. It reads the end of two indexes,
 * however many links there are.
 */
export function newestLinkChange(parent: string): string {
  const last = (block: "block_number" | "revoked_block", which: string) =>
    `(select ${block} from chain.links where parent = ${parent} and ${which} order by ${block} desc limit 1)`;
  return `greatest(
      ${last("block_number", "revoked_block is null")},
      ${last("revoked_block", "revoked_block is not null")})`;
}

/** What each of these assets points to now, in the order of linking, at most `most` of each. */
export async function outgoingLinks(
  db: Database,
  ids: readonly AssetId[],
  most: number,
): Promise<Map<AssetId, AssetId[]>> {
  const { rows } = await db.query<{ parent: Buffer; children: Buffer[] }>(
    `select asked.id as parent, array_agg(link.child order by link.block_number, link.log_index) as children
     from unnest($1::bytea[]) as asked (id)
     cross join lateral (
       select child, block_number, log_index from chain.links
       where parent = asked.id and revoked_block is null
       order by block_number, log_index limit $2) link
     group by asked.id`,
    [ids.map(toBytes), most],
  );
  return new Map(rows.map(({ parent, children }) => [fromBytes(parent), children.map(fromBytes)]));
}

/** Where a link stands among those of its asset. */
export type LinkPlace = readonly [blockNumber: number, logIndex: number];

/**
 * Some of the links that stand: those to an asset or those from it, in the order of linking.
 * @returns the assets at their other ends, and where the last of these stands if there are more; null if not
 */
export async function linksPart(
  db: Database,
  id: AssetId,
  direction: "from" | "to",
  after: LinkPlace,
  { skip, size }: { skip: number; size: number },
): Promise<{ ids: AssetId[]; end: LinkPlace | null }> {
  const [given, other] = direction === "from" ? ["child", "parent"] : ["parent", "child"];
  // One row: a thousand of them take longer to read than to find.
  const { rows } = await db.query<{ ids: string; count: number; block_number: number; log_index: number }>(
    `select coalesce(string_agg(encode(id, 'hex'), ' ' order by block_number, log_index), '') as ids,
       count(*) as count,
       (array_agg(block_number order by block_number, log_index))[$5::int] as block_number,
       (array_agg(log_index order by block_number, log_index))[$5::int] as log_index
     from (
       select ${other} as id, block_number, log_index from chain.links
       where revoked_block is null and (${given}, block_number, log_index) > ($1::bytea, $2::bigint, $3::bigint)
         and ${given} <= $1::bytea
       order by ${given}, block_number, log_index offset $4 limit $5::int + 1) part`,
    [toBytes(id), ...after, skip, size],
  );
  const [part] = rows;
  if (part === undefined) throw new Error("An aggregate answers one row");
  const ids = part.ids === "" ? [] : part.ids.split(" ").map((digits): AssetId => `0x${digits}`);
  return { ids: ids.slice(0, size), end: part.count > size ? [part.block_number, part.log_index] : null };
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
