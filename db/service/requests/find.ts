import type { AssetDetails, AssetId } from "../../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../../../domain/bytes.ts";
import type { Database } from "../../core/pool.ts";
import { ask, type Statement, statement } from "../../core/statement.ts";
import {
  type OutlineRow,
  parseOutline,
  parseRequest,
  type RequestRow,
  requestFacts,
  requestFactsFrom,
} from "./facts.ts";
import type { ListedRequest, Request, RequestOutline } from "./request.ts";

const byId = statement(`${requestFacts} where request.id = $1`);

export async function findRequest(db: Database, id: string): Promise<Request | undefined> {
  const [row] = await ask<RequestRow>(db, byId, [id]);
  return row && parseRequest(row);
}

const known = statement("select id from service.requests where id = $1");

export async function isRequest(db: Database, id: string): Promise<boolean> {
  return (await ask<{ id: string }>(db, known, [id])).length === 1;
}

/**
 * The ids come as JSON, whose length the planner does not look at: of an array it does, and then it plans every
 * time, which takes longer than to run. `offset 0` keeps it from reading all requests before it picks these.
 */
const requestsByIds = (texts: "all" | "name" | "none") =>
  statement(`
  ${requestFactsFrom(
    `(
    select stored.* from json_array_elements_text($1::json) asked (id)
    cross join lateral (select * from service.requests where id = asked.id::uuid limit 1) stored offset 0) request`,
    { texts },
  )}
  order by request.created_at, request.id`);
const [whole, named, outlined] = [requestsByIds("all"), requestsByIds("name"), requestsByIds("none")];

/** Requests with all their texts, so for few of them. */
export async function findRequests(db: Database, ids: readonly string[]): Promise<Request[]> {
  return (await rowsOf<RequestRow>(db, whole, ids)).map(parseRequest);
}

export async function findRequestOutlines(db: Database, ids: readonly string[]): Promise<RequestOutline[]> {
  return (await rowsOf<OutlineRow>(db, outlined, ids)).map(parseOutline);
}

/** For a list, which shows of their texts the names alone. */
export async function findListedRequests(db: Database, ids: readonly string[]): Promise<ListedRequest[]> {
  type ListedRow = OutlineRow & { details: Pick<AssetDetails, "name"> | null };
  return (await rowsOf<ListedRow>(db, named, ids)).map((row) => {
    const { kind, details, targets } = row;
    const outline = parseOutline(row);
    if (kind !== "create") return { ...outline, change: { kind, targets: targets ?? [] } };
    if (details === null) throw new Error(`Request ${row.id} has no content`);
    return { ...outline, change: { kind, details } };
  });
}

async function rowsOf<Row extends OutlineRow>(
  db: Database,
  asked: Statement,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  return await ask<Row>(db, asked, [JSON.stringify([...new Set(ids)])]);
}

/** The request that created, or is to create, this asset. */
export async function findCreation(db: Database, assetId: AssetId): Promise<Request | undefined> {
  const [row] = await ask<RequestRow>(db, creations, [JSON.stringify([assetId])]);
  return row && parseRequest(row);
}

/** In SQL: the facts of the creations of the assets in the list $1 of JSON. */
const creationFacts = (texts: "all" | "none"): string =>
  requestFactsFrom(
    `(
    select stored.* from json_array_elements_text($1::json) asked (id)
    cross join lateral (
      select * from service.requests where asset_id = decode(substr(asked.id, 3), 'hex') and kind = 'create' offset 0
    ) stored offset 0) request`,
    { kinds: "creations", texts },
  );
export const creationOutlines = creationFacts("none");
const creations = statement(creationFacts("all"));
const outlinesOfCreations = statement(creationOutlines);

/** The request that created, or is to create, this asset, without its texts. */
export async function findCreationOutline(
  db: Database,
  assetId: AssetId,
): Promise<RequestOutline | undefined> {
  const [row] = await ask<OutlineRow>(db, outlinesOfCreations, [JSON.stringify([assetId])]);
  return row && parseOutline(row);
}

/** Which of these ids are assets that this tenant asked for, on the chain or not. */
export async function assetsRequested(
  db: Database,
  tenant: string,
  ids: readonly AssetId[],
): Promise<Set<AssetId>> {
  const { rows } = await db.query<{ asset_id: Buffer }>(
    `select asset_id from service.requests
     where kind = 'create' and tenant = $1 and asset_id = any($2::bytea[])`,
    [tenant, ids.map(toBytes)],
  );
  return new Set(rows.map(({ asset_id }) => fromBytes(asset_id)));
}
