import type { PublicAsset } from "asset-registry-client";
import { computeAssetId, computeContentHash } from "asset-registry-proof";

/** `cannot` where the texts of the answer are not those of the chain word for word. */
export type CheckVerdict = "agrees" | "differs" | "cannot";

/**
 * The hashes of an asset's content, each compared with what this page computes from the texts that it shows: the id, the
 * hash on the chain and the one of the service's database.
 */
type ContentChecks = Record<"id" | "blockchainHash" | "documentDbHash", CheckVerdict>;

export function checkContent(asset: PublicAsset): ContentChecks {
  const { blockchainHash, documentDbHash } = asset;
  const verdict = (agrees: boolean): CheckVerdict => (agrees ? "agrees" : "differs");
  if (asset.truncated !== undefined || asset.inexact !== undefined) {
    // The two that the service names can be compared with each other still.
    const stored = blockchainHash === `0x${documentDbHash}` ? "cannot" : "differs";
    return { id: "cannot", blockchainHash: "cannot", documentDbHash: stored };
  }
  const computed = computeContentHash(asset);
  return {
    id: verdict(computeAssetId(asset) === asset.id),
    blockchainHash: verdict(blockchainHash === computed),
    documentDbHash: verdict(`0x${documentDbHash}` === computed),
  };
}
