import { type AssetText, assetTexts } from "asset-registry-proof";
import { createContract } from "micro-eth-signer/abi.js";

/** A change of the registry that the user asked for, in the user's own words. */
export type Change =
  | { kind: "create"; salt: string; texts: Record<AssetText, string> }
  | { kind: "link" | "revoke"; parent: string; children: readonly string[] };

const links = [
  { name: "parent", type: "bytes32" },
  { name: "children", type: "bytes32[]" },
] as const;

/** The registry's functions that authors call. */
const abi = [
  {
    type: "function",
    name: "createAsset",
    stateMutability: "nonpayable",
    inputs: [
      { name: "salt", type: "bytes32" },
      { name: "details", type: "tuple", components: assetTexts.map((name) => ({ name, type: "string" })) },
    ],
    outputs: [],
  },
  { type: "function", name: "link", stateMutability: "nonpayable", inputs: links, outputs: [] },
  { type: "function", name: "revokeLinks", stateMutability: "nonpayable", inputs: links, outputs: [] },
];

const functions: Record<string, { encodeInput(args: object): Uint8Array } | undefined> = createContract(
  abi as never,
);

/** The call of the registry that makes exactly this change, as 0x and hex digits. */
export function calldataOf(change: Change): string {
  if (change.kind === "create")
    return encode("createAsset", { salt: bytes(change.salt), details: change.texts });
  const name = change.kind === "link" ? "link" : "revokeLinks";
  return encode(name, { parent: bytes(change.parent), children: change.children.map(bytes) });
}

function encode(name: string, args: object): string {
  const call = functions[name];
  if (call === undefined) throw new Error(`The registry has no function ${name}`);
  return `0x${Buffer.from(call.encodeInput(args)).toString("hex")}`;
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");
