import type { AssetId } from "../../domain/asset/asset.ts";
import { addressFromDigits } from "../../domain/bytes.ts";
import type { Database } from "../core/pool.ts";
import { ask, type Statement, statement } from "../core/statement.ts";
import type { RequestRef } from "../service/requests/request.ts";

/**
 * Builds a statement that reads, in one snapshot, something about each of many assets of the chain. `lateral … limit 1`
 * forces index lookups, whatever the planner's statistics are. The ids are one JSON list, since an array is planned anew
 * for each length; each answer is one JSON value, since PostgreSQL sends a description of every column each time.
 */
export const assetsByIds = (json: string, more = ""): Statement =>
  statement(`
  select asked.place, ${json}::text as json
  from (
    select decode(substr(hex, 3), 'hex') as id, place
    from json_array_elements_text($1::json) with ordinality as listed (hex, place)) asked
  cross join lateral (select * from chain.assets where id = asked.id limit 1) asset
  ${more}`);

/** @returns what was found of each id, in their order; undefined of what is no asset of the chain */
export async function readByIds<Reading>(
  db: Database,
  asked: Statement,
  ids: readonly AssetId[],
  parse: (json: string, id: AssetId) => Reading,
): Promise<(Reading | undefined)[]> {
  const readings: (Reading | undefined)[] = ids.map(() => undefined);
  for (const { place, json } of await ask<{ place: number; json: string }>(db, asked, [
    JSON.stringify(ids),
  ])) {
    readings[place - 1] = parse(json, ids[place - 1] as AssetId);
  }
  return readings;
}

/** The time of a block, in SQL. */
export const timeOf = (block: string): string =>
  `(select timestamp from chain.blocks where number = ${block})`;

export const hex = (bytes: string): string => `encode(${bytes}, 'hex')`;

/** In SQL, as JSON: the request that created the asset, for those who may know of it. */
export const creation = (more = ""): string => `(
    select json_build_array(id, tenant, ${hex("author")}${more}) from service.requests request
    where asset_id = asset.id and kind = 'create' limit 1)`;

export type CreationJson = [id: string, tenant: string, author: string];

export const parseRef = (found: CreationJson | null): RequestRef | undefined =>
  found === null ? undefined : { id: found[0], tenant: found[1], author: addressFromDigits(found[2]) };

/** Refuses a bigint beyond 2^53, to which JSON rounds, too. */
export function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${value}, which is over 2^53`);
  return value;
}
