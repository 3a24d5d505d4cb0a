import {
  type AssetReading,
  readAssets,
  readLinks,
  readStatuses,
  type StatusReading,
} from "../db/asset-reads.ts";
import { type PendingReading, readPending } from "../db/pending-reads.ts";
import type { Pool } from "../db/pool.ts";
import type { AssetId } from "../domain/asset.ts";
import { gather } from "./gather.ts";

/** What is asked most, of assets on the chain; undefined for any other. See `db/asset-reads.ts`. */
export type Reads = {
  asset(id: AssetId): Promise<AssetReading | undefined>;
  status(id: AssetId): Promise<StatusReading | undefined>;
  /** The request for an asset, on the chain or not. */
  pending(id: AssetId): Promise<PendingReading | undefined>;
  /** JSON: `{"from":[…],"to":[…]}`. */
  links(id: AssetId): Promise<string | undefined>;
};

export function createReads(pool: Pool): Reads {
  return {
    asset: gather((ids) => readAssets(pool, ids)),
    status: gather((ids) => readStatuses(pool, ids)),
    pending: gather((ids) => readPending(pool, ids)),
    links: gather((ids) => readLinks(pool, ids)),
  };
}
