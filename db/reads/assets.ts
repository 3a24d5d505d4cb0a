import type { AssetDetails, AssetId } from "../../domain/asset/asset.ts";
import { addressFromDigits, toBytes } from "../../domain/bytes.ts";
import { limits } from "../../domain/limits.ts";
import { decodeRaw } from "../chain/assets.ts";
import type { Database, Pool } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import type { RequestRef } from "../service/requests/request.ts";
import { type CreationJson, creation, hex, parseRef, timeOf, whole } from "./by-ids.ts";
import type { ChainAsset } from "./chain-asset.ts";

export type AssetReading = {
  chain: ChainAsset;
  /** Assets that it points to, in the order of linking, at most `limits.links`. */
  links: AssetId[];
  request: RequestRef | undefined;
  /** Newest final block; -1 while there is none. */
  finalBlock: number;
};

const texts = ["name", "data", "file_name", "file_type", "file_size", "method", "hash", "uri"];

/** Bytes of an asset's texts. PostgreSQL knows them without reading the texts, which it stores beside the row. */
export const textBytes = [...texts, "raw_details"]
  .map((column) => `coalesce(octet_length(stored.${column}), 0)`)
  .join(" + ");

/** The block of the newest link from the asset that was added, or revoked, by the end of an index. */
const newest = (block: "block_number" | "revoked_block", which: string): string =>
  `(select ${block} from chain.links where parent = asset.id and ${which} order by ${block} desc limit 1)`;

/**
 * Times of blocks do not fall, so the time of the last change is that of its block. However many links there are, few
 * are read: the newest is among those that stand, where they are not more than are shown.
 */
export const assetReading = `(
  select json_build_array(
    ${hex("asset.author || asset.salt || asset.content_hash || asset.transaction_hash")},
    ${texts.map((column) => `asset.${column}`).join(", ")},
    ${hex("asset.raw_details")}, asset.block_number, asset.transaction_index, asset.log_index,
    ${timeOf("asset.block_number")},
    ${timeOf(`greatest(
      case when standing.count < ${limits.links} then standing.newest
        else ${newest("block_number", "revoked_block is null")} end,
      ${newest("revoked_block", "revoked_block is not null")})`)},
    standing.ids, ${creation()}, (select final_number from chain.cursor))
  from (
    select string_agg('0x' || ${hex("child")}, ' ') as ids, count(*) as count, max(block_number) as newest
    from (
      select child, block_number from chain.links where parent = asset.id and revoked_block is null
      order by block_number, log_index limit ${limits.links}) link) standing)`;

// An asset from the chain may have texts of megabytes, and many of them may be asked for at once: those are read
// whose texts fit together into an answer, the first in any case.
const assets = statement(`
  select asset.place, case when asset.total <= ${limits.answerBytes} or asset.total = asset.bytes
    then ${assetReading}::text end as json
  from (
    select found.*, sum(bytes) over (order by place) as total
    from (
      select asked.place, stored.*, ${textBytes} as bytes
      from (
        select decode(substr(hex, 3), 'hex') as id, place
        from json_array_elements_text($1::json) with ordinality as listed (hex, place)) asked
      cross join lateral (select * from chain.assets where id = asked.id limit 1) stored) found) asset`);

type AssetJson = [
  digits: string,
  name: string,
  data: string,
  fileName: string,
  fileType: string,
  fileSize: string,
  method: string,
  hash: string,
  uri: string,
  raw: string | null,
  blockNumber: number,
  transactionIndex: number,
  logIndex: number,
  createdOn: number,
  changedOn: number | null,
  links: string | null,
  request: CreationJson | null,
  finalBlock: number | null,
];

/** Assets with what belongs to their answers; undefined of what is no asset of the chain. */
export async function readAssets(pool: Pool, ids: readonly AssetId[]): Promise<(AssetReading | undefined)[]> {
  const found = new Map<AssetId, AssetReading>();
  // One answer after the other, so that large assets are not in memory all at once.
  for (let rest = ids; rest.length > 0; ) {
    const { readings, left } = await assetsThatFit(pool, rest);
    for (const reading of readings) found.set(reading.chain.id, reading);
    rest = left;
  }
  return ids.map((id) => found.get(id));
}

/** The first of these assets, as many as fit into an answer, and which are left; what is no asset is left out. */
export async function assetsThatFit(
  db: Database,
  ids: readonly AssetId[],
): Promise<{ readings: AssetReading[]; left: AssetId[] }> {
  const readings: AssetReading[] = [];
  const left: AssetId[] = [];
  if (ids.length === 0) return { readings, left };
  const rows = await ask<{ place: number; json: string | null }>(db, assets, [JSON.stringify(ids)]);
  for (const { place, json } of rows) {
    const id = ids[place - 1] as AssetId;
    if (json === null) left.push(id);
    else readings.push(parseReading(json, id));
  }
  return { readings, left };
}

export function parseReading(json: string, id: AssetId): AssetReading {
  const [digits, name, data, fileName, fileType, fileSize, method, hash, uri, raw, ...others] = JSON.parse(
    json,
  ) as AssetJson;
  const [blockNumber, transactionIndex, logIndex, createdOn, changedOn, links, request, finalBlock] = others;
  const details: AssetDetails = { name, data, fileName, fileType, fileSize, method, hash, uri };
  return {
    chain: {
      id,
      author: addressFromDigits(digits.slice(0, 40)),
      salt: `0x${digits.slice(40, 104)}`,
      details,
      raw: raw === null ? undefined : decodeRaw(toBytes(`0x${raw}`)),
      contentHash: `0x${digits.slice(104, 168)}`,
      position: {
        blockNumber: whole(blockNumber),
        transactionIndex: whole(transactionIndex),
        logIndex: whole(logIndex),
        transactionHash: `0x${digits.slice(168)}`,
      },
      createdOn: whole(createdOn),
      updatedOn: whole(Math.max(createdOn, changedOn ?? 0)),
    },
    links: links === null ? [] : (links.split(" ") as AssetId[]),
    request: parseRef(request),
    finalBlock: whole(finalBlock ?? -1),
  };
}
