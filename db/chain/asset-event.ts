import type { AssetBytes, AssetDigests } from "../../domain/asset/digests.ts";
import type { Position } from "../../domain/index/log-position.ts";

/** An asset of an event, in bytes: a backfill copies every asset without decoding its texts. */
export type AssetEvent = AssetBytes & AssetDigests & { position: Position };
