import { type PublicAsset, RegistryError } from "asset-registry-client";

/**
 * How an asset stands: `removed` was on the chain when this page looked before, `unknown` was not; `stale` could not be
 * looked for again.
 */
export type AssetView =
  | { state: "loading" }
  | { state: "shown" | "removed"; asset: PublicAsset }
  | { state: "stale"; asset: PublicAsset; error: unknown }
  | { state: "unknown" }
  | { state: "failed"; error: unknown };

export const isNotFound = (error: unknown): boolean =>
  error instanceof RegistryError && error.code === "ASSET_NOT_FOUND";

/** What the newest answer means beside the newest one that was an asset. */
export function viewOf(asset: PublicAsset | undefined, error: unknown): AssetView {
  if (error == null) return asset === undefined ? { state: "loading" } : { state: "shown", asset };
  if (isNotFound(error)) return asset === undefined ? { state: "unknown" } : { state: "removed", asset };
  return asset === undefined ? { state: "failed", error } : { state: "stale", asset, error };
}
