import type { Transaction } from "asset-registry-client";
import { encodeFunctionData, getTypesForEIP712Domain, type TypedDataDefinition } from "viem";
import { mapDetails } from "../../../../domain/asset/asset.ts";
import { gaslessTypedData, linkNonceOf } from "../../../../domain/asset/gasless.ts";
import { refusalTypedData } from "../../../../domain/asset/typed-data.ts";
import { registryAbi } from "../../../../domain/registry/abi.ts";
import { assetId } from "../../../support/asset-id.ts";
import { owner } from "../../../support/chain/accounts.ts";

type Hex = `0x${string}`;

export const registry = {
  chainId: 31_337,
  address: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
} as const;

const id = "ddc3911c-7d43-4a6c-9d3d-1f1f6f5f7a10";
const salt: Hex = `0x${"5a".repeat(32)}`;
export const details = { ...mapDetails(() => ""), name: "Lease", data: "Flat\u00003 \ud83c\udfe0" };
const [parent, child]: Hex[] = [`0x${"aa".repeat(32)}`, `0x${"bb".repeat(32)}`];
const expiresAt = "2026-12-05T02:10:43.510+00:00";

const inJson = ({ domain, types, primaryType, message }: TypedDataDefinition) =>
  JSON.parse(
    JSON.stringify(
      {
        domain,
        types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types },
        primaryType,
        message,
      },
      (_, value) => (typeof value === "bigint" ? String(value) : value),
    ),
  );

/** What the service answers about a request, true in every word. */
export function asked(kind: Transaction["kind"] = "create", changes: Partial<Transaction> = {}): Transaction {
  const isCreation = kind === "create";
  const author = owner.address;
  const children = [child as Hex];
  const asset = isCreation ? assetId(registry, { author, salt, details }) : (parent as Hex);
  const change = isCreation ? { kind, salt, details } : { kind, targets: [{ child: child as Hex }] };
  const gasless = gaslessTypedData({
    author,
    assetId: asset,
    registry,
    change: change as never,
    linkNonce: linkNonceOf(id),
    expiresAt: new Date(expiresAt),
    signatureDeadline: 1_780_000_000,
  });
  return {
    id,
    signUrl: `https://registry.example/console/sign/${id}`,
    kind,
    assetId: asset,
    state: "Received",
    summary: "",
    signer: author,
    requestedBy: "acme",
    call: {
      function: { create: "createAsset", link: "link", revoke: "revokeLinks" }[kind],
      arguments: isCreation ? { salt, details } : { parent, children },
    },
    chainId: registry.chainId,
    to: registry.address,
    data: isCreation
      ? encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [salt, details] })
      : encodeFunctionData({
          abi: registryAbi,
          functionName: kind === "link" ? "link" : "revokeLinks",
          args: [parent as Hex, children],
        }),
    value: "0x0",
    nonce: 0,
    nextNonce: 0,
    gas: "0x12be2",
    maxFeePerGas: "0xb2d05e00",
    maxPriorityFeePerGas: "0x3b9aca00",
    gasPrice: "0x7082c66b",
    warning: null,
    refusal: inJson(refusalTypedData(registry, { transactionId: id, asset })),
    gasless: inJson(gasless),
    signatureAliveUntil: null,
    cancelSignature: null,
    createdAt: "2026-11-28T02:10:43.510+00:00",
    expiresAt,
    history: [],
    ...changes,
  };
}
