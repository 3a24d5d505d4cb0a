import {
  type Address,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  stringToBytes,
  type TypedDataDefinition,
} from "viem";
import { registryAbi } from "../registry/abi.ts";
import type { AssetDetails, AssetId } from "./asset.ts";
import {
  addLinksTypedData,
  createAssetTypedData,
  type Registry,
  revokeLinksTypedData,
} from "./typed-data.ts";

/** What a request asks for, as far as a signature for it goes. */
export type GaslessRequest = {
  author: Address;
  /** The asset to create, or the parent of the links. */
  assetId: AssetId;
  registry: Registry;
  change:
    | { kind: "create"; salt: Hex; details: AssetDetails }
    | { kind: "link" | "revoke"; targets: readonly { child: AssetId }[] };
  /** See `linkNonceOf`; of a creation it means nothing. */
  linkNonce: bigint;
  expiresAt: Date;
  /** Until when its signature is good, in seconds since 1970; undefined: until it expires. */
  signatureDeadline?: number | undefined;
};

/**
 * The nonce that a link change is signed with, which is not used yet while it is the next one of its key. The key is
 * the request's own, so that requests do not wait for each other: an author signs them in any order, or not at all.
 * It is a hash of the request's id: with the call it becomes public, and the id opens the transaction to whoever
 * knows it.
 */
export function linkNonceOf(requestId: string): bigint {
  const digest = keccak256(stringToBytes(`Asset Registry: nonce of link change ${requestId}`));
  return linkNonceKeyOf(BigInt(digest)) << countBits;
}

/** Bits of a nonce that count; those above are its key. */
const countBits = 64n;

/** The key of a nonce. */
export const linkNonceKeyOf = (nonce: bigint): bigint => nonce >> countBits;

type Timed = Pick<GaslessRequest, "expiresAt" | "signatureDeadline">;

/** Seconds since 1970 until which the registry takes the signature, at most the last whole one before it expires. */
export function deadlineOf({ expiresAt, signatureDeadline }: Timed): bigint {
  const last = Math.floor(expiresAt.getTime() / 1000);
  return BigInt(Math.min(last, signatureDeadline ?? last));
}

/**
 * The deadlines that may stand in a signature made now: that of what is offered now first, then the one offered
 * before it, as far as it lies ahead. They follow from the clock, so that whoever reads twice reads the same.
 * @param lifetime seconds that a signature is good for at most; half of that at least
 */
export function signatureDeadlines(lifetime: number, nowMs: number = Date.now()): [number, number] {
  const window = Math.max(1, Math.floor(lifetime / 2));
  const begun = Math.floor(nowMs / 1000 / window) * window;
  return [begun + 2 * window, begun + window];
}

/** What the author signs so that somebody else may send it. Derived from the request alone, each time the same. */
export function gaslessTypedData(request: GaslessRequest): TypedDataDefinition {
  const { registry, author, change, assetId: parent } = request;
  const deadline = deadlineOf(request);
  if (change.kind === "create") {
    const { salt, details } = change;
    return createAssetTypedData(registry, { author, salt, details }, deadline);
  }
  const children = change.targets.map(({ child }) => child);
  const signed = { parent, children, nonce: request.linkNonce, deadline };
  return change.kind === "link"
    ? addLinksTypedData(registry, signed)
    : revokeLinksTypedData(registry, signed);
}

/** The EIP-712 digest of it. */
export function gaslessDigest(request: GaslessRequest): Hex {
  return hashTypedData(gaslessTypedData(request));
}

/** The call that hands the author's signature to the registry; anybody may make it. */
export function gaslessCall(request: GaslessRequest, signature: Hex): Hex {
  const { author, change, assetId: parent } = request;
  const deadline = deadlineOf(request);
  if (change.kind === "create") {
    const args = [author, change.salt, change.details, deadline, signature] as const;
    return encodeFunctionData({ abi: registryAbi, functionName: "createAssetFor", args });
  }
  const children = change.targets.map(({ child }) => child);
  return encodeFunctionData({
    abi: registryAbi,
    functionName: change.kind === "link" ? "linkFor" : "revokeLinksFor",
    args: [parent, children, request.linkNonce, deadline, signature],
  });
}
