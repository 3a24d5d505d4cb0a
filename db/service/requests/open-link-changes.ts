import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import type { Database } from "../../core/pool.ts";
import { isUnmade } from "./conditions.ts";
import { findRequests } from "./find.ts";
import type { LinkChange, Request } from "./request.ts";

const inOrder = (targets: LinkChange["targets"]): string =>
  targets
    .map(({ child, nth }) => `${child.slice(2)}:${nth}`)
    .sort()
    .join();

/** Open requests of one tenant for exactly this change of links, oldest first. */
export async function openLinkRequests(
  db: Database,
  tenant: string,
  { kind, parent, targets }: LinkChange & { parent: AssetId },
): Promise<Request[]> {
  const [first] = targets;
  if (first === undefined) return [];
  const { rows } = await db.query<{ id: string }>(
    `select request.id from service.request_targets target
     join service.requests request on request.id = target.request_id
     where target.parent = $1 and target.child = $2 and target.nth = $3
       and request.asset_id = $1 and request.tenant = $4 and request.kind = $5 and request.kind <> 'create'
       and ${isUnmade("request")}
       and case when $7 = (select count(*) from service.request_targets where request_id = request.id)
         then $6 = (
           select string_agg(encode(child, 'hex') || ':' || nth, ',' order by child)
           from service.request_targets where request_id = request.id)
         else false end
     order by request.created_at, request.id`,
    [toBytes(parent), toBytes(first.child), first.nth, tenant, kind, inOrder(targets), targets.length],
  );
  return await findRequests(
    db,
    rows.map(({ id }) => id),
  );
}

/** Number of a tenant's open link changes of this parent, at most `most`. */
export async function countOpenLinkRequests(
  db: Database,
  tenant: string,
  parent: AssetId,
  most: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select from service.requests request
       where asset_id = $1 and tenant = $2 and kind <> 'create' and ${isUnmade("request")}
       limit $3) open`,
    [toBytes(parent), tenant, most],
  );
  return rows[0]?.count ?? 0;
}
