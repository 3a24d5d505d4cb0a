import { type Address, concat, encodeAbiParameters, type Hex, keccak256, stringToBytes } from "viem";
import {
  type AssetContent,
  type AssetDetails,
  type AssetId,
  detailFields,
  mapDetails,
  type RawDetails,
} from "../../domain/asset/asset.ts";
import { ASSET_TYPEHASH, domainSeparator, type Registry } from "../../domain/asset/typed-data.ts";

/**
 * Ids of assets by viem, step by step: slow, and independent of `domain/asset/digests.ts`, which tests compare with them.
 */

/** The bytes of each text. */
export const rawDetails = (details: AssetDetails): RawDetails =>
  mapDetails((field) => stringToBytes(details[field]));

/** `hashStruct(Asset)` of the bytes of each text, valid UTF-8 or not. */
export function hashAsset(author: Address, salt: Hex, details: RawDetails): Hex {
  return keccak256(
    concat([
      ASSET_TYPEHASH,
      encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [author, salt]),
      ...detailFields.map((field) => keccak256(details[field])),
    ]),
  );
}

/** The id of an asset: the EIP-712 digest of its content for this registry on this chain. */
export function assetIdOf(registry: Registry, structHash: Hex): AssetId {
  return keccak256(concat(["0x1901", domainSeparator(registry), structHash]));
}

/** The id of an asset with texts as strings. */
export function assetId(registry: Registry, { author, salt, details }: AssetContent): AssetId {
  return assetIdOf(registry, hashAsset(author, salt, rawDetails(details)));
}
