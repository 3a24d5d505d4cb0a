import { utf8 } from "./bytes/bytes.ts";
import { toHex } from "./bytes/hex.ts";
import { type AssetText, assetTexts } from "./document/format.ts";
import { address, hash, text } from "./document/values.ts";
import { type AssetContent, assetId, contentHash } from "./registry/asset-id.ts";

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
  return toHex(assetId(asset.chainId, address(asset.registry, "registry"), contentOf(asset)));
}

/**
 * The EIP-712 hash of an asset's author, salt and texts, which is the same on every chain: `blockchainHash` in the API.
 * @throws ProofError for an address, salt or text that is none
 */
export function computeContentHash(asset: Omit<IdentifiedAsset, "chainId" | "registry">): string {
  return toHex(contentHash(contentOf(asset)));
}

const contentOf = (asset: Omit<IdentifiedAsset, "chainId" | "registry">): AssetContent => ({
  author: address(asset.author, "author"),
  salt: hash(asset.salt, "salt"),
  texts: assetTexts.map((name) => utf8(text(asset[name], name))),
});
