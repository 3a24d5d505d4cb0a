import type { Transaction } from "asset-registry-client";
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getTypesForEIP712Domain,
  hashTypedData,
  type TypedDataDefinition,
} from "viem";
import type { AssetDetails } from "../../../../../domain/asset/asset.ts";
import { gaslessTypedData, linkNonceOf } from "../../../../../domain/asset/gasless.ts";
import {
  assetType,
  type Registry,
  refusalTypedData,
  registryDomain,
} from "../../../../../domain/asset/typed-data.ts";
import { registryAbi } from "../../../../../domain/registry/abi.ts";
import type { Call, TypedData } from "../../../wallet/ask.ts";

type Hex = `0x${string}`;

/** A change of the registry, as the bytes of a call say it. */
export type Change =
  | { kind: "create"; salt: Hex; details: AssetDetails }
  | { kind: "link" | "revoke"; parent: Hex; children: readonly Hex[] };

/** What a wallet may be asked to sign: everything in it was put together or recomputed here. */
export type Checked = {
  change: Change;
  call: Call;
  refusal: TypedData;
  /** null where nobody pays for the author. */
  gasless: TypedData | null;
};

/** Where the service's own words contradict each other, so that nothing may be signed. */
export type Mismatch = "CHAIN" | "REGISTRY" | "VALUE" | "CALL" | "WORDS" | "ASSET_ID" | "REFUSAL" | "GASLESS";

/** The change that the bytes of a call make; undefined where they are not exactly one of the registry's. */
export function readCall(data: Hex): Change | undefined {
  try {
    const call = decodeFunctionData({ abi: registryAbi, data });
    // Bytes behind the arguments, or between them, would be signed unseen.
    if (encodeFunctionData({ abi: registryAbi, ...call } as never) !== data.toLowerCase()) return undefined;
    switch (call.functionName) {
      case "createAsset":
        return { kind: "create", salt: call.args[0], details: call.args[1] };
      case "link":
        return { kind: "link", parent: call.args[0], children: call.args[1] };
      case "revokeLinks":
        return { kind: "revoke", parent: call.args[0], children: call.args[1] };
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/**
 * Holds the bytes to sign against everything that the service says of them in words, and recomputes the asset's id and
 * the typed data. @returns undefined of a closed request, which has nothing to sign
 */
export function checkRequest(
  asked: Transaction,
  registry: Registry,
): { checked: Checked } | { mismatch: Mismatch } | undefined {
  const { to, data, value, signer, gas } = asked;
  if (to === null || data === null) return undefined;
  if (asked.chainId !== registry.chainId) return { mismatch: "CHAIN" };
  if (to.toLowerCase() !== registry.address.toLowerCase()) return { mismatch: "REGISTRY" };
  if (value !== "0x0") return { mismatch: "VALUE" };
  const change = readCall(data);
  if (change?.kind !== asked.kind) return { mismatch: "CALL" };
  if (!isSame(asked.call.arguments, argumentsOf(change))) return { mismatch: "WORDS" };
  if (assetOf(change, signer, registry) !== asked.assetId) return { mismatch: "ASSET_ID" };

  const refusal = inWallets(refusalTypedData(registry, { transactionId: asked.id, asset: asked.assetId }));
  if (!isSame(asked.refusal, refusal)) return { mismatch: "REFUSAL" };
  const gasless = asked.gasless === null ? null : gaslessOf(asked, change, registry);
  if (gasless === undefined || !isSame(asked.gasless, gasless)) return { mismatch: "GASLESS" };
  return { checked: { change, call: { to, data, value, gas }, refusal, gasless } };
}

const argumentsOf = (change: Change): object =>
  change.kind === "create"
    ? { salt: change.salt, details: change.details }
    : { parent: change.parent, children: change.children };

/** The asset that a change is about; the id of a new one is the EIP-712 digest of its content. */
function assetOf(change: Change, author: Address, registry: Registry): Hex {
  if (change.kind !== "create") return change.parent;
  return hashTypedData({
    domain: registryDomain(registry),
    types: { Asset: assetType },
    primaryType: "Asset",
    message: { author, salt: change.salt, ...change.details },
  });
}

/**
 * The typed data for the relayer; of the service's own only the deadline is used, which may not outlive the request.
 * undefined where that is none.
 */
function gaslessOf(asked: Transaction, change: Change, registry: Registry): TypedData | undefined {
  const { signer: author, assetId: asset, expiresAt, id } = asked;
  const signatureDeadline = Number(asked.gasless?.message["deadline"]);
  if (!Number.isSafeInteger(signatureDeadline)) return undefined;
  return inWallets(
    gaslessTypedData({
      author,
      assetId: asset,
      registry,
      change:
        change.kind === "create"
          ? change
          : { kind: change.kind, targets: change.children.map((child) => ({ child })) },
      linkNonce: linkNonceOf(id),
      expiresAt: new Date(expiresAt),
      signatureDeadline,
    }),
  );
}

/** Typed data as wallets take it: the type of the domain is in it, and numbers beyond 53 bits are decimal digits. */
function inWallets({ domain, types, primaryType, message }: TypedDataDefinition): TypedData {
  const own = {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types },
    primaryType,
    message,
  };
  return JSON.parse(JSON.stringify(own, (_, value) => (typeof value === "bigint" ? String(value) : value)));
}

/** Whether two values are the same JSON, in whatever order their members stand. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const [ones, others] = [Object.entries(one), Object.entries(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    ones.length === others.length &&
    ones.every(
      ([name, value]) =>
        Object.hasOwn(other, name) && isSame(value, (other as Record<string, unknown>)[name]),
    )
  );
}
