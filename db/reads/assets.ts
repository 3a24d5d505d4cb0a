import type { AssetDetails, AssetId } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { decodeRaw } from "../chain/assets.ts";
import { addressFromDigits, toBytes } from "../core/bytes.ts";
import type { Database, Pool } from "../core/pool.ts";
import { ask, type Statement, statement } from "../core/statement.ts";
import { type KeyHolder, type KnownKey, knownKeys, parseHolder, stillHeld } from "../service/api-keys.ts";
import {
  type HistoryEntry,
  type HistoryJson,
  historyJson,
  parseHistory,
} from "../service/requests/history.ts";
import type { RequestRef } from "../service/requests/request.ts";
import type { ChainAsset } from "./chain-asset.ts";
import { newestLinkChange } from "./links.ts";

/**
 * The questions that are asked most, about assets of the current chain. Each is one statement, which sees one
 * moment of the database whatever is written meanwhile, and takes many ids at once: those that are no assets
 * of the chain are missing in the answer. Beside them it says which keys of those who ask are still valid.
 *
 * `lateral … limit 1` and queries in the place of a value keep to the indexes, however many ids are asked for and
 * whatever the planner last saw. The ids come as JSON, whose length the planner does not look at: of an array it
 * does, and then it plans every time. Answers go out as JSON too: of each column more, PostgreSQL would send a
 * description each time, and somebody would read it.
 */
const question = (json: string, more = ""): Statement =>
  statement(`
  select asked.place, ${json}::text as json
  from (
    select decode(substr(hex, 3), 'hex') as id, place
    from json_array_elements_text($1::json) with ordinality as listed (hex, place)) asked
  cross join lateral (select * from chain.assets where id = asked.id limit 1) asset
  ${more}
  union all
  ${stillHeld("$2")}`);

/** What was found of each id, and of each key, in their order. */
export type Answers<Reading> = {
  readings: (Reading | undefined)[];
  holders: (KeyHolder | undefined)[];
  /** Those that would have made the answer too large; all before the first of them were read. */
  left: AssetId[];
};

/** What stands in the place of a reading that would have made the answer too large. */
const tooMuch = "too much";

async function answer<Reading>(
  db: Database,
  asked: Statement,
  ids: readonly AssetId[],
  keys: readonly KnownKey[],
  parse: (json: string, id: AssetId) => Reading,
): Promise<Answers<Reading>> {
  const rows = await ask<{ place: number; json: string | null }>(db, asked, [
    JSON.stringify(ids),
    knownKeys(keys),
  ]);
  const readings: (Reading | undefined)[] = ids.map(() => undefined);
  const holders: (KeyHolder | undefined)[] = keys.map(() => undefined);
  const left: AssetId[] = [];
  for (const { place, json } of rows) {
    if (json === null) continue;
    if (place < 0) holders[-place - 1] = parseHolder(json);
    else if (json === tooMuch) left.push(ids[place - 1] as AssetId);
    else readings[place - 1] = parse(json, ids[place - 1] as AssetId);
  }
  return { readings, holders, left };
}

const timeOf = (block: string): string => `(select timestamp from chain.blocks where number = ${block})`;
const hex = (bytes: string): string => `encode(${bytes}, 'hex')`;

/** In SQL, as JSON: the request that created the asset, for those who may know of it. */
const creation = (more = ""): string => `(
    select json_build_array(id, tenant, ${hex("author")}${more}) from service.requests request
    where asset_id = asset.id and kind = 'create' limit 1)`;

type CreationJson = [id: string, tenant: string, author: string];

const parseRef = (found: CreationJson | null): RequestRef | undefined =>
  found === null ? undefined : { id: found[0], tenant: found[1], author: addressFromDigits(found[2]) };

export type AssetReading = {
  chain: ChainAsset;
  /** What the asset points to, as a list in JSON in the order of linking, at most `limits.links`. */
  links: string;
  request: RequestRef | undefined;
  /** Newest final block; -1 while there is none. */
  finalBlock: number;
};

const texts = ["name", "data", "file_name", "file_type", "file_size", "method", "hash", "uri"];

/** Bytes of an asset's texts. PostgreSQL knows them without reading the texts, which it stores beside the row. */
const textBytes = [...texts, "raw_details"]
  .map((column) => `coalesce(octet_length(stored.${column}), 0)`)
  .join(" + ");

const assetReading = `json_build_array(
    ${hex("asset.author || asset.salt || asset.content_hash || asset.transaction_hash")},
    ${texts.map((column) => `asset.${column}`).join(", ")},
    ${hex("asset.raw_details")}, asset.block_number, asset.transaction_index, asset.log_index,
    ${timeOf("asset.block_number")}, ${timeOf(newestLinkChange("asset.id"))},
    array_to_string(array(
      select '"0x' || ${hex("child")} || '"' from chain.links where parent = asset.id and revoked_block is null
      order by block_number, log_index limit ${limits.links}), ','),
    ${creation()}, (select final_number from chain.cursor))`;

// An asset from the chain may have texts of megabytes, and many of them may be asked for at once: those are read
// whose texts fit together into an answer, the first in any case.
const assets = statement(`
  select asset.place, case when asset.total <= ${limits.answerBytes} or asset.total = asset.bytes
    then ${assetReading}::text else '${tooMuch}' end as json
  from (
    select found.*, sum(bytes) over (order by place) as total
    from (
      select asked.place, stored.*, ${textBytes} as bytes
      from (
        select decode(substr(hex, 3), 'hex') as id, place
        from json_array_elements_text($1::json) with ordinality as listed (hex, place)) asked
      cross join lateral (select * from chain.assets where id = asked.id limit 1) stored) found) asset
  union all
  ${stillHeld("$2")}`);

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
  links: string,
  request: CreationJson | null,
  finalBlock: number | null,
];

/** Assets with what belongs to their answer. */
export async function readAssets(
  pool: Pool,
  ids: readonly AssetId[],
  keys: readonly KnownKey[] = [],
): Promise<Answers<AssetReading>> {
  const { left, ...found } = await answer(pool, assets, ids, keys, parseReading);
  if (left.length === 0) return { ...found, left };
  // One answer after the other, so that large assets are not in memory all at once.
  const late = new Map<AssetId, AssetReading | undefined>();
  for (let rest = left; rest.length > 0; ) {
    const part = await answer(pool, assets, rest, [], parseReading);
    for (const [index, id] of rest.entries()) late.set(id, part.readings[index]);
    rest = part.left;
  }
  return { ...found, readings: ids.map((id, index) => found.readings[index] ?? late.get(id)), left: [] };
}

/**
 * The first of these assets, as many as fit into an answer, of the moment that a snapshot sees; what is no asset is
 * left out.
 */
export async function assetsOf(
  snapshot: Database,
  ids: readonly AssetId[],
): Promise<{ readings: AssetReading[]; left: AssetId[] }> {
  if (ids.length === 0) return { readings: [], left: [] };
  const { readings, left } = await answer(snapshot, assets, ids, [], parseReading);
  return { readings: readings.filter((reading) => reading !== undefined), left };
}

function parseReading(json: string, id: AssetId): AssetReading {
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
    links: `[${links}]`,
    request: parseRef(request),
    finalBlock: whole(finalBlock ?? -1),
  };
}

/** As elsewhere: a bigint beyond 2^53 is refused, never rounded. JSON rounds to what is beyond it, too. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${value}, which is over 2^53`);
  return value;
}

export type StatusReading = {
  chain: Pick<ChainAsset, "id" | "position" | "createdOn">;
  request: RequestRef | undefined;
  noted: HistoryEntry[];
  index: { blockNumber: number; finalNumber: number; confirmations: number | "finalized" };
};

type StatusJson = [
  transactionHash: string,
  blockNumber: number,
  transactionIndex: number,
  logIndex: number,
  createdOn: number,
  request: [...CreationJson, history: HistoryJson[] | null] | null,
  indexedBlock: number,
  finalBlock: number,
  confirmations: number | null,
];

// An index that holds an asset has a cursor. That there is one alone the planner learns by the limit.
const statuses = question(
  `json_build_array(${hex("asset.transaction_hash")}, asset.block_number, asset.transaction_index, asset.log_index,
    ${timeOf("asset.block_number")}, ${creation(`, ${historyJson("request.id")}`)},
    cursor.block_number, cursor.final_number, cursor.confirmations)`,
  `cross join lateral (
    select block_number, final_number, confirmations from chain.cursor limit 1) cursor`,
);

/** How far assets are, and what was noted on their way. */
export function readStatuses(
  pool: Pool,
  ids: readonly AssetId[],
  keys: readonly KnownKey[] = [],
): Promise<Answers<StatusReading>> {
  return answer(pool, statuses, ids, keys, parseStatus);
}

function parseStatus(json: string, id: AssetId): StatusReading {
  const [hash, block, transactionIndex, logIndex, createdOn, request, indexed, final, confirmations] =
    JSON.parse(json) as StatusJson;
  return {
    chain: {
      id,
      position: {
        blockNumber: whole(block),
        transactionIndex: whole(transactionIndex),
        logIndex: whole(logIndex),
        transactionHash: `0x${hash}`,
      },
      createdOn: whole(createdOn),
    },
    request: parseRef(request as CreationJson | null),
    noted: parseHistory(request?.[3] ?? null),
    index: {
      blockNumber: whole(indexed),
      finalNumber: whole(final),
      confirmations: confirmations ?? "finalized",
    },
  };
}

/** One direction: a list in JSON in the order of linking, null where it has more than `limits.links`. */
const list = (other: "parent" | "child", own: "parent" | "child"): string => `
  cross join lateral (
    select array(
      select '"0x' || ${hex(other)} || '"' from chain.links where ${own} = asset.id and revoked_block is null
      order by block_number, log_index limit ${limits.links + 1}) as ids) to_${other}`;

const listed = (other: "parent" | "child"): string => `'[' || array_to_string(to_${other}.ids, ',') || ']'`;

// As JSON: an asset may have thousands of links, and whoever touches each of them holds up all other callers.
const links = question(
  `case when greatest(cardinality(to_parent.ids), cardinality(to_child.ids)) <= ${limits.links}
    then '{"from":' || ${listed("parent")} || ',"to":' || ${listed("child")} || '}' end`,
  list("parent", "child") + list("child", "parent"),
);

/** All links of assets that stand, in JSON: `{"from":[…],"to":[…]}`; of one that has too many for that, undefined. */
export function readLinks(
  pool: Pool,
  ids: readonly AssetId[],
  keys: readonly KnownKey[] = [],
): Promise<Answers<string>> {
  return answer(pool, links, ids, keys, (json) => json);
}
