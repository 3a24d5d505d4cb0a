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

/** The part of a request that its author signs for the relayer. */
export type GaslessRequest = {
  author: Address;
  /** The asset to create, or the parent of the links. */
  assetId: AssetId;
  registry: Registry;
  change:
    | { kind: "create"; salt: Hex; details: AssetDetails }
    | { kind: "link" | "revoke"; targets: readonly { child: AssetId }[] };
  /** See `linkNonceOf`; unused by a creation. */
  linkNonce: bigint;
  expiresAt: Date;
  /** Deadline of the signature, in seconds since 1970; undefined: when the request expires. */
  signatureDeadline?: number | undefined;
};

/**
 * The nonce with which a link change is signed; it is unused while it is the next one of its key. Each request has a
 * key of its own, so that authors sign requests in any order. The key is a hash of the request's id, because the call
 * is public and the id is a capability.
 */
export function linkNonceOf(requestId: string): bigint {
  const digest = keccak256(stringToBytes(`Asset Registry: nonce of link change ${requestId}`));
  return linkNonceKeyOf(BigInt(digest)) << countBits;
}

/** Low bits of a nonce, which count; the bits above are its key. */
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
 * Deadlines that a signature made now may have: first the one offered now, then the one offered before it, if it has
 * not passed. They are steps of the clock, so that repeated reads give the same.
 * @param lifetime seconds that a signature is good for at most; half of that at least
 */
export function signatureDeadlines(lifetime: number, nowMs: number = Date.now()): [number, number] {
  const window = Math.max(1, Math.floor(lifetime / 2));
  const begun = Math.floor(nowMs / 1000 / window) * window;
  return [begun + 2 * window, begun + window];
}

/** The typed data that the author signs for the relayer; deterministic for a request. */
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

/** The EIP-712 digest of `gaslessTypedData`. */
export function gaslessDigest(request: GaslessRequest): Hex {
  return hashTypedData(gaslessTypedData(request));
}

/** The call that submits the author's signature to the registry; anybody may send it. */
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
