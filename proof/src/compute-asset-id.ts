import { utf8 } from "./bytes/bytes.ts";
import { toHex } from "./bytes/hex.ts";
import { type AssetText, assetTexts } from "./document/format.ts";
import { address, hash, text } from "./document/values.ts";
import { assetId } from "./registry/asset-id.ts";

/** Everything that an asset's id commits to. */
export type IdentifiedAsset = { chainId: number; registry: string; author: string; salt: string } & Record<
  AssetText,
  string
>;

/**
 * The id that a registry gives to an asset: an author can compute it before anything is signed.
 * @throws ProofError for an address, salt or text that is none
 */
export function computeAssetId(asset: IdentifiedAsset): string {
  const content = {
    author: address(asset.author, "author"),
    salt: hash(asset.salt, "salt"),
    texts: assetTexts.map((name) => utf8(text(asset[name], name))),
  };
  return toHex(assetId(asset.chainId, address(asset.registry, "registry"), content));
}
