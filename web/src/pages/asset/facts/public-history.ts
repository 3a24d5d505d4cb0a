import type { AssetState, PublicAsset } from "asset-registry-client";

/** A state that an asset was in; when is known of its block alone. */
export type StateEntry = { state: AssetState; at?: string; blockNumber?: number | undefined };

/** The states that the chain tells of an asset. */
export function publicHistory({ createdOn, blockNumber, final }: PublicAsset): StateEntry[] {
  const committed: StateEntry = { state: "Committed", at: createdOn, blockNumber };
  return final ? [committed, { state: "Confirmed" }] : [committed];
}
