import type { AssetBytes, AssetDigests } from "../../domain/asset/digests.ts";

/** An asset as an event brought it, in bytes: a backfill reads every asset, and nobody reads its texts on the way. */
export type AssetEvent = AssetBytes &
  AssetDigests & {
    transactionHash: Uint8Array;
    blockNumber: number;
    transactionIndex: number;
    logIndex: number;
  };
