import type { PublicAsset, RegistryClient } from "asset-registry-client";
import { methodName } from "asset-registry-proof";
import type { Digests } from "../file/digests.ts";

/** Assets that bear a hash; `isCut` where there are more. */
export type Found = { assets: PublicAsset[]; isCut: boolean };

/** Most assets that are read of those that bear one digest. */
const mostAssets = 400;

/** Assets of the chain that bear one of these digests, each once, the oldest first. */
export async function findAssets(
  client: Pick<RegistryClient, "publicAssets">,
  digests: Digests,
  signal: AbortSignal,
): Promise<Found> {
  const found = new Map<string, PublicAsset>();
  let isCut = false;
  for (const [method, hash] of digests) {
    let count = 0;
    for await (const asset of client.publicAssets(
      { hash, method: methodName(method), size: 200 },
      { signal },
    )) {
      if (count === mostAssets) {
        isCut = true;
        break;
      }
      found.set(asset.id, asset);
      count += 1;
    }
  }
  const assets = [...found.values()].sort(
    (one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex,
  );
  return { assets, isCut };
}
