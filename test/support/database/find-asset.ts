import type { Pool } from "../../../db/core/pool.ts";
import { readAssets } from "../../../db/reads/assets.ts";
import type { ChainAsset } from "../../../db/reads/chain-asset.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";

/** The asset of the current chain with this id, as the API reads it. */
export async function findAsset(pool: Pool, id: AssetId): Promise<ChainAsset | undefined> {
  return (await readAssets(pool, [id]))[0]?.chain;
}
