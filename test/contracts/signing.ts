import {
  getBytes,
  Signature,
  type Signer,
  type TypedDataDomain,
  TypedDataEncoder,
  type TypedDataField,
  toBeHex,
} from "ethers";
import type { AssetContent } from "../../domain/asset/asset.ts";
import {
  addLinksTypedData,
  createAssetTypedData,
  type LinkChangeToSign,
  type Registry,
  revokeLinksTypedData,
} from "../../domain/asset/typed-data.ts";
import type { AssetRegistry } from "../../types/ethers-contracts/AssetRegistry.js";
import { ethers } from "./fixture.ts";

type Hex = `0x${string}`;
export type TypedDataSigner = Pick<Signer, "signTypedData">;

/** A deadline that no test reaches. */
export const FAR = 4_000_000_000n;

/** What typed data for this registry on this chain is made for. */
export async function placeOf(registry: AssetRegistry): Promise<Registry> {
  const { chainId } = await ethers.provider.getNetwork();
  return { chainId: Number(chainId), address: (await registry.getAddress()) as Hex };
}

/** Content as the typed data takes it, from ethers' looser strings. */
export function contentOf(author: string, salt: string, details: AssetContent["details"]): AssetContent {
  return { author: author as Hex, salt: salt as Hex, details };
}

/** A link change as the typed data takes it. */
export function changeOf(
  parent: string,
  children: readonly string[],
  nonce: bigint,
  deadline = FAR,
): LinkChangeToSign {
  return { parent: parent as Hex, children: children as Hex[], nonce, deadline };
}

export function signCreation(
  signer: TypedDataSigner,
  place: Registry,
  content: AssetContent,
  deadline = FAR,
) {
  return sign(signer, createAssetTypedData(place, content, deadline));
}

export function signAddLinks(signer: TypedDataSigner, place: Registry, change: LinkChangeToSign) {
  return sign(signer, addLinksTypedData(place, change));
}

export function signRevokeLinks(signer: TypedDataSigner, place: Registry, change: LinkChangeToSign) {
  return sign(signer, revokeLinksTypedData(place, change));
}

/** Typed data of any of the three operations. */
export type TypedData = {
  domain: TypedDataDomain;
  types: Readonly<Record<string, readonly TypedDataField[]>>;
  message: Record<string, unknown>;
};

/** By ethers, where the service uses viem: two libraries and the contract must agree. */
export function sign(signer: TypedDataSigner, { domain, types, message }: TypedData): Promise<string> {
  return signer.signTypedData(domain, mutable(types), message);
}

/** What is signed, by ethers. */
export function digestOf({ domain, types, message }: TypedData): string {
  return TypedDataEncoder.hash(domain, mutable(types), message);
}

function mutable(types: TypedData["types"]): Record<string, TypedDataField[]> {
  return Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]));
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature of the same key for the same digest, which anybody can compute. */
export function malleated(signature: string): string {
  const { r, s, v } = Signature.from(signature);
  return `${r}${toBeHex(ORDER - BigInt(s), 32).slice(2)}${v === 27 ? "1c" : "1b"}`;
}

/** The same signature in the 64 bytes of ERC-2098. */
export function compact(signature: string): string {
  return Signature.from(signature).compactSerialized;
}

/** The same signature with 0 or 1 as its last byte, as some devices write it. */
export function zeroBasedV(signature: string): string {
  const last = (getBytes(signature).at(-1) ?? 0) - 27;
  return `${signature.slice(0, -2)}0${last}`;
}
