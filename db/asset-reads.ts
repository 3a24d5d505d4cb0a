import type { AssetId } from "../domain/asset.ts";
import { limits } from "../domain/limits.ts";
import {
  type AssetRow,
  assetColumns,
  type ChainAsset,
  type PositionColumns,
  parseAsset,
  parsePosition,
} from "./assets.ts";
import { addressFromBytes } from "./bytes.ts";
import { type HistoryEntry, type HistoryJson, historyJson, parseHistory } from "./history.ts";
import { newestLinkChange } from "./links.ts";
import type { Pool, Transaction } from "./pool.ts";
import type { RequestRef } from "./requests.ts";
import { ask, statement } from "./statement.ts";

/**
 * The questions that are asked most, about assets of the current chain. Each is one statement, which sees one
 * moment of the database whatever is written meanwhile, and takes many ids at once: those that are no assets
 * of the chain are missing in the answer.
 *
 * `lateral … limit 1` keeps to the indexes, however many ids are asked for and whatever the planner last saw. The
 * ids come as JSON, whose length the planner does not look at: of an array it does, and then it plans every time.
 */

const asked = `(
    select decode(substr(hex, 3), 'hex') as id, place
    from json_array_elements_text($1::json) with ordinality as listed (hex, place)) asked`;

/** The request that created the asset, for those who may know of it. */
const creation = `
  left join lateral (
    select id, tenant, author from service.requests
    where asset_id = asked.id and kind = 'create' limit 1) request on true`;

export type AssetReading = {
  chain: ChainAsset;
  /** What the asset points to, in the order of linking, at most `limits.links`. */
  links: AssetId[];
  request: RequestRef | undefined;
  /** Newest final block; -1 while there is none. */
  finalBlock: number;
};

type RequestColumns = { request_id: string | null; tenant: string; request_author: Buffer };
type AssetReadingRow = AssetRow &
  RequestColumns & { place: number; links: string | null; final_block: number };

const assets = statement(`
  select asked.place, ${assetColumns("asset")}, block.timestamp as created_on,
    greatest(block.timestamp, changed.timestamp) as updated_on, link.children as links,
    request.id as request_id, request.tenant, request.author as request_author,
    coalesce(cursor.final_number, -1) as final_block
  from ${asked}
  cross join lateral (select * from chain.assets where id = asked.id limit 1) asset
  cross join lateral (select timestamp from chain.blocks where number = asset.block_number limit 1) block
  cross join lateral (
    select string_agg(encode(child, 'hex'), ' ' order by block_number, log_index) as children from (
      select child, block_number, log_index from chain.links
      where parent = asked.id and revoked_block is null
      order by block_number, log_index limit ${limits.links}) standing) link
  left join lateral (
    select timestamp from chain.blocks where number = ${newestLinkChange("asked.id")} limit 1) changed on true
  ${creation}
  left join chain.cursor cursor on true`);

/** Assets with what belongs to their answer. */
export async function readAssets(pool: Pool, ids: readonly AssetId[]): Promise<(AssetReading | undefined)[]> {
  return inOrder(ids, await ask<AssetReadingRow>(pool, assets, [JSON.stringify(ids)]), parseReading);
}

/** The same of the moment that a snapshot sees; what is no asset is left out. */
export async function assetsOf(snapshot: Transaction, ids: readonly AssetId[]): Promise<AssetReading[]> {
  if (ids.length === 0) return [];
  return (await ask<AssetReadingRow>(snapshot, assets, [JSON.stringify(ids)])).map(parseReading);
}

function parseReading(row: AssetReadingRow): AssetReading {
  return {
    chain: parseAsset(row),
    links: row.links === null ? [] : row.links.split(" ").map((digits): AssetId => `0x${digits}`),
    request: parseRef(row),
    finalBlock: row.final_block,
  };
}

export type StatusReading = {
  chain: Pick<ChainAsset, "id" | "position" | "createdOn">;
  request: RequestRef | undefined;
  noted: HistoryEntry[];
  index: { blockNumber: number; finalNumber: number; confirmations: number | "finalized" };
};

type StatusReadingRow = RequestColumns &
  PositionColumns & {
    place: number;
    created_on: number;
    history: HistoryJson[] | null;
    indexed_block: number;
    final_block: number;
    confirmations: number | null;
  };

// An index that holds an asset has a cursor.
const statuses = statement(`
  select asked.place, asset.block_number, asset.transaction_index, asset.log_index, asset.transaction_hash,
    block.timestamp as created_on, request.id as request_id, request.tenant, request.author as request_author,
    ${historyJson("request.id")} as history, cursor.block_number as indexed_block, cursor.final_number as final_block,
    cursor.confirmations
  from ${asked}
  cross join lateral (
    select block_number, transaction_index, log_index, transaction_hash
    from chain.assets where id = asked.id limit 1) asset
  cross join lateral (select timestamp from chain.blocks where number = asset.block_number limit 1) block
  ${creation}
  cross join chain.cursor cursor`);

/** How far assets are, and what was noted on their way. */
export async function readStatuses(
  pool: Pool,
  ids: readonly AssetId[],
): Promise<(StatusReading | undefined)[]> {
  const rows = await ask<StatusReadingRow>(pool, statuses, [JSON.stringify(ids)]);
  return inOrder(ids, rows, (row, id) => ({
    chain: {
      id,
      position: parsePosition(row),
      createdOn: row.created_on,
    },
    request: parseRef(row),
    noted: parseHistory(row.history),
    index: {
      blockNumber: row.indexed_block,
      finalNumber: row.final_block,
      confirmations: row.confirmations ?? "finalized",
    },
  }));
}

/** One direction: a list in JSON in the order of linking, null where it has more than `limits.links`. */
const list = (other: "parent" | "child", own: "parent" | "child"): string => `
  cross join lateral (
    select case when count(*) <= ${limits.links}
      then '[' || coalesce(string_agg('"0x' || encode(${other}, 'hex') || '"', ',' order by block_number, log_index), '')
        || ']' end as list
    from (
      select ${other}, block_number, log_index from chain.links where ${own} = asked.id and revoked_block is null
      limit ${limits.links + 1}) standing) to_${other}`;

// As JSON: an asset may have thousands of links, and whoever touches each of them holds up all other callers.
const links = statement(`
  select asked.place, '{"from":' || to_parent.list || ',"to":' || to_child.list || '}' as json
  from ${asked}
  cross join lateral (select id from chain.assets where id = asked.id limit 1) asset
  ${list("parent", "child")}
  ${list("child", "parent")}`);

/** All links of assets that stand, in JSON: `{"from":[…],"to":[…]}`; of one that has too many for that, undefined. */
export async function readLinks(pool: Pool, ids: readonly AssetId[]): Promise<(string | undefined)[]> {
  const rows = await ask<{ place: number; json: string | null }>(pool, links, [JSON.stringify(ids)]);
  return inOrder(ids, rows, ({ json }) => json ?? undefined);
}

function inOrder<Row extends { place: number }, Reading>(
  ids: readonly AssetId[],
  rows: readonly Row[],
  read: (row: Row, id: AssetId) => Reading,
): (Reading | undefined)[] {
  const readings: (Reading | undefined)[] = ids.map(() => undefined);
  for (const row of rows) readings[row.place - 1] = read(row, ids[row.place - 1] as AssetId);
  return readings;
}

function parseRef({ request_id: id, tenant, request_author }: RequestColumns): RequestRef | undefined {
  return id === null ? undefined : { id, tenant, author: addressFromBytes(request_author) };
}
