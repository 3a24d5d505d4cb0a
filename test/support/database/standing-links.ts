import type { Database } from "../../../db/core/pool.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../../../domain/bytes.ts";

/** Links that stand: `from` points to the asset, `to` is what it points to, each in the order of linking. */
export async function standingLinks(db: Database, id: AssetId): Promise<{ from: AssetId[]; to: AssetId[] }> {
  const { rows } = await db.query<{ parent: Buffer; child: Buffer; outgoing: boolean }>(
    `select parent, child, parent = $1 as outgoing from chain.links
     where (parent = $1 or child = $1) and revoked_block is null
     order by block_number, log_index`,
    [toBytes(id)],
  );
  return {
    from: rows.filter(({ outgoing }) => !outgoing).map(({ parent }) => fromBytes(parent)),
    to: rows.filter(({ outgoing }) => outgoing).map(({ child }) => fromBytes(child)),
  };
}
