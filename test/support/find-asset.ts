import { readAssets } from "../../db/asset-reads.ts";
import type { ChainAsset } from "../../db/assets.ts";
import type { Pool } from "../../db/pool.ts";
import type { AssetId } from "../../domain/asset.ts";

/** The asset of the current chain with this id, as the API reads it. */
export async function findAsset(pool: Pool, id: AssetId): Promise<ChainAsset | undefined> {
  return (await readAssets(pool, [id])).readings[0]?.chain;
}
