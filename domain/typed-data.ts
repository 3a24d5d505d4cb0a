import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  hashDomain,
  keccak256,
  stringToHex,
} from "viem";
import { type AssetContent, type AssetId, detailFields, type RawDetails, rawDetails } from "./asset.ts";

/** The one registry that a signature or an id is made for. */
export type Registry = { chainId: number; address: Address };

const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** EIP-712 type that an asset's id is the digest of; the registry holds the same words. */
export const assetType = [
  { name: "author", type: "address" },
  { name: "salt", type: "bytes32" },
  ...detailFields.map((name) => ({ name, type: "string" }) as const),
] as const;

/** The first word of what `hashAsset` hashes. */
export const ASSET_TYPEHASH = keccak256(
  stringToHex(`Asset(${assetType.map(({ type, name }) => `${type} ${name}`).join(",")})`),
);

/** EIP-712 domain of the registry. */
export function registryDomain(registry: Registry) {
  return {
    name: "Asset Registry",
    version: "1",
    chainId: registry.chainId,
    verifyingContract: registry.address,
  } as const;
}

/**
 * `hashStruct(Asset)`: what the chain commits to, `blockchainHash` in the API.
 * Takes the bytes of each text, so that texts which are no valid UTF-8 hash as the registry hashes them.
 */
export function hashAsset(author: Address, salt: Hex, details: RawDetails): Hex {
  const words = detailFields.map((field) => keccak256(details[field]));
  return keccak256(
    concat([
      ASSET_TYPEHASH,
      encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [author, salt]),
      ...words,
    ]),
  );
}

/** EIP-712 domain separator of the registry. */
export function domainSeparator(registry: Registry): Hex {
  return hashDomain({
    domain: { ...registryDomain(registry), chainId: BigInt(registry.chainId) },
    types: { EIP712Domain: domainType },
  });
}

/** The id of an asset: the EIP-712 digest of its content for this registry on this chain. */
export function assetIdOf(registry: Registry, structHash: Hex): AssetId {
  return keccak256(concat(["0x1901", domainSeparator(registry), structHash]));
}

/** The id of an asset whose texts are known as strings. */
export function assetId(registry: Registry, { author, salt, details }: AssetContent): AssetId {
  return assetIdOf(registry, hashAsset(author, salt, rawDetails(details)));
}

/** What an author signs to refuse a generated transaction; the transaction's id makes it single use. */
export function refusalTypedData(registry: Registry, refusal: { transactionId: string; asset: Hex }) {
  return {
    domain: registryDomain(registry),
    types: {
      Refusal: [
        { name: "statement", type: "string" },
        { name: "transactionId", type: "string" },
        { name: "asset", type: "bytes32" },
      ],
    },
    primaryType: "Refusal",
    message: { statement: "I refuse to sign this transaction.", ...refusal },
  } as const;
}

/** What connects a wallet to a user: binds service, user, one-time token, expiry and chain. */
export type WalletConnection = {
  service: string;
  issuer: string;
  user: string;
  token: string;
  expiration: string;
};

/**
 * What the holder of an address signs to connect it to a user of this service. The registry's address is
 * in the domain too, so that a signature for one deployment is void in another.
 */
export function walletTypedData(registry: Registry, connection: WalletConnection) {
  return {
    domain: registryDomain(registry),
    types: {
      WalletConnection: [
        { name: "statement", type: "string" },
        { name: "service", type: "string" },
        { name: "issuer", type: "string" },
        { name: "user", type: "string" },
        { name: "token", type: "string" },
        { name: "expiration", type: "string" },
      ],
    },
    primaryType: "WalletConnection",
    message: { statement: "I connect this address to this user of the Asset Registry.", ...connection },
  } as const;
}
