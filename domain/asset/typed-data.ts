import { type Address, type Hex, hashDomain, keccak256, stringToHex } from "viem";
import { type AssetContent, type AssetId, detailFields } from "./asset.ts";

/** The one registry that a signature or an id is made for. */
export type Registry = { chainId: number; address: Address };

const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** EIP-712 type whose digest is an asset's id; equal to the registry's type string. */
export const assetType = [
  { name: "author", type: "address" },
  { name: "salt", type: "bytes32" },
  ...detailFields.map((name) => ({ name, type: "string" }) as const),
] as const;

const encodedAssetType = `Asset(${assetType.map(({ type, name }) => `${type} ${name}`).join(",")})`;
/** Type hash of `Asset`, the first word of `hashStruct(Asset)`. */
export const ASSET_TYPEHASH = keccak256(stringToHex(encodedAssetType));

/** EIP-712 domain of the registry. */
export function registryDomain(registry: Registry) {
  return {
    name: "Asset Registry",
    version: "1",
    chainId: registry.chainId,
    verifyingContract: registry.address,
  } as const;
}

/** EIP-712 domain separator of the registry. */
export function domainSeparator(registry: Registry): Hex {
  return hashDomain({
    domain: { ...registryDomain(registry), chainId: BigInt(registry.chainId) },
    types: { EIP712Domain: domainType },
  });
}

const linkChangeType = [
  { name: "parent", type: "bytes32" },
  { name: "children", type: "bytes32[]" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
] as const;

/** A change of outgoing links to be signed; the nonce is the registry's `nonces(author, key)`, the deadline in seconds. */
export type LinkChangeToSign = {
  parent: AssetId;
  children: readonly AssetId[];
  nonce: bigint;
  deadline: bigint;
};

/** Typed data by which anybody may create the author's asset with `createAssetFor`; it shows every text. */
export function createAssetTypedData(
  registry: Registry,
  { author, salt, details }: AssetContent,
  deadline: bigint,
) {
  return {
    domain: registryDomain(registry),
    types: {
      CreateAsset: [
        { name: "asset", type: "Asset" },
        { name: "deadline", type: "uint256" },
      ],
      Asset: assetType,
    },
    primaryType: "CreateAsset",
    message: { asset: { author, salt, ...details }, deadline },
  } as const;
}

/** Typed data by which anybody may add the author's links with `linkFor`. */
export function addLinksTypedData(registry: Registry, change: LinkChangeToSign) {
  return {
    domain: registryDomain(registry),
    types: { AddLinks: linkChangeType },
    primaryType: "AddLinks",
    message: change,
  } as const;
}

/** Typed data by which anybody may revoke the author's links with `revokeLinksFor`. */
export function revokeLinksTypedData(registry: Registry, change: LinkChangeToSign) {
  return {
    domain: registryDomain(registry),
    types: { RevokeLinks: linkChangeType },
    primaryType: "RevokeLinks",
    message: change,
  } as const;
}

/** Typed data of an author's refusal of a transaction, whose id makes it single-use. */
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

/** A wallet connection: binds service, user, one-time token, expiry and chain. */
export type WalletConnection = {
  service: string;
  issuer: string;
  user: string;
  token: string;
  expiration: string;
};

/**
 * Typed data that the holder of an address signs to connect it to a user of this service. The registry's address is
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
