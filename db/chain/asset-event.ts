import type { AssetBytes, AssetDigests } from "../../domain/asset/digests.ts";
import type { Position } from "../../domain/index/log-position.ts";

/** An asset as an event brought it, in bytes: a backfill reads every asset, and nobody reads its texts on the way. */
export type AssetEvent = AssetBytes & AssetDigests & { position: Position };
