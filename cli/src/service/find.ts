import type { PublicAsset, RegistryClient } from "asset-registry-client";
import { type HashMethod, methodName } from "asset-registry-proof";

/** Most assets that are read of those that bear one hash. */
export const mostAssets = 100;

/** Assets of the chain that bear one of these digests, each once, the oldest first. */
export async function findAssets(
  client: RegistryClient,
  digests: ReadonlyMap<HashMethod, string>,
  signal: AbortSignal,
): Promise<PublicAsset[]> {
  const found = new Map<string, PublicAsset>();
  for (const [method, hash] of digests) {
    let count = 0;
    for await (const asset of client.publicAssets({ hash, method: methodName(method) }, { signal })) {
      found.set(asset.id, asset);
      count += 1;
      if (count >= mostAssets) break;
    }
  }
  return [...found.values()].sort(
    (one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex,
  );
}
