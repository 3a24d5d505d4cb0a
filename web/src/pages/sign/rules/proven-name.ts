import type { PublicAsset } from "asset-registry-client";
import { computeAssetId } from "asset-registry-proof";
import type { Registry } from "../../../../../domain/asset/typed-data.ts";

/**
 * The name of an asset that its author is asked to link; undefined where the id, which is all that is signed, does not
 * belong to the texts of the service's answer, so that the name may be another asset's.
 */
export function provenName(
  id: string,
  asset: PublicAsset,
  { chainId, address }: Registry,
): string | undefined {
  try {
    return computeAssetId({ ...asset, chainId, registry: address }) === id ? asset.name : undefined;
  } catch {
    return undefined;
  }
}
