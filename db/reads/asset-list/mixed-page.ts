import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import { limits } from "../../../domain/limits.ts";
import type { Pool } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { parseRequest, type RequestRow, requestFactsFrom } from "../../service/requests/facts.ts";
import type { Request } from "../../service/requests/request.ts";
import { type AssetReading, assetReading, assetsThatFit, parseReading, textBytes } from "../assets.ts";
import { whole } from "../by-ids.ts";

/** An asset of the chain, or a request for one. */
export type PageEntry = { asset: AssetId } | { request: string };

/** The present form of an entry; undefined where it is gone. A request may have got to the chain. */
export type PageReading = { chain: AssetReading | undefined; request: Request | undefined } | undefined;

/**
 * Reads what the entries of a page are made of by one statement: those from the beginning whose texts fit together
 * into an answer, the first in any case. PostgreSQL knows how large a text is without reading it.
 */
export async function readAssetPage(pool: Pool, entries: readonly PageEntry[]): Promise<PageReading[]> {
  const ids = entries.flatMap((entry) => ("asset" in entry ? [entry.asset] : []));
  if (ids.length < entries.length) return await readMixed(pool, entries);
  const { readings, left } = await assetsThatFit(pool, ids);
  const found = new Map(readings.map((reading) => [reading.chain.id, reading]));
  const end = left[0] === undefined ? ids.length : ids.indexOf(left[0]);
  return ids.slice(0, end).map((id) => {
    const chain = found.get(id);
    return chain && { chain, request: undefined };
  });
}

type MixedRow = { place: number; fits: boolean; id: string; asset: string | null; request: string | null };

async function readMixed(pool: Pool, entries: readonly PageEntry[]): Promise<PageReading[]> {
  const asked = entries.map((entry, place) => ({ place, ...entry }));
  const rows = await ask<MixedRow>(pool, mixed, [JSON.stringify(asked)]);
  const readings: PageReading[] = entries.map(() => undefined);
  let end = entries.length;
  for (const { place, fits, id, asset, request } of rows) {
    if (!fits) end = Math.min(end, place);
    else if (asset !== null || request !== null) {
      readings[place] = {
        chain: asset === null ? undefined : parseReading(asset, `0x${id}`),
        request: request === null ? undefined : parseRequest(rowOfJson(request)),
      };
    }
  }
  return readings.slice(0, end);
}

/** A request holds its texts twice: as they were sent, and in the call. */
const requestBytes = "coalesce(2 * octet_length(request.calldata), 0)";

const mixed = statement(`
  select asset.place, asset.fits, encode(asset.id, 'hex') as id,
    case when asset.fits and asset.author is not null then ${assetReading}::text end as asset,
    case when asset.fits and asset.request is not null then (
      select row_to_json(facts)::text from (${requestFactsFrom(
        "(select * from service.requests where id = asset.request offset 0) request",
        { kinds: "creations" },
      )}) facts) end as request
  from (
    select sized.*, total <= ${limits.answerBytes} or total = bytes as fits
    from (
      select found.*, sum(bytes) over (order by place) as total
      from (
        select asked.place, request.id as request, coalesce(request.asset_id, asked.asset) as id,
          stored.author, stored.salt, stored.content_hash, stored.name, stored.data, stored.file_name,
          stored.file_type, stored.file_size, stored.method, stored.hash, stored.uri, stored.raw_details,
          stored.block_number, stored.transaction_index, stored.log_index, stored.transaction_hash,
          ${requestBytes} + ${textBytes} as bytes
        from (
          select place, request, decode(substr(asset, 3), 'hex') as asset
          from json_to_recordset($1::json) as entry (place integer, request uuid, asset text)) asked
        left join lateral (
          select id, asset_id, calldata from service.requests where id = asked.request limit 1) request on true
        left join lateral (
          select * from chain.assets where id = coalesce(request.asset_id, asked.asset) limit 1) stored on true
      ) found) sized) asset`);

/** The columns of a request that are bytes, and those that are times. */
const byteColumns = [
  ...(["calldata", "salt", "author", "asset_id", "registry", "link_nonce", "content_hash"] as const),
  ...(["effect_hash", "revert_hash", "newest_hash"] as const),
];
const timeColumns = [
  ...(["created_at", "expires_at", "refused_at", "missing_since", "low_fee_since", "updated_at"] as const),
];

/** A row of a request as PostgreSQL writes it as JSON. */
function rowOfJson(json: string): RequestRow {
  const row = JSON.parse(json) as Record<string, unknown>;
  for (const value of Object.values(row)) if (typeof value === "number") whole(value);
  for (const column of byteColumns) {
    const text = row[column];
    if (typeof text === "string") row[column] = toBytes(`0x${text.slice(2)}`);
  }
  for (const column of timeColumns) {
    const text = row[column];
    if (typeof text === "string") row[column] = new Date(text);
  }
  return row as RequestRow;
}
