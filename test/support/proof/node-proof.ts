import { type Address, concat, type Hex, keccak256, numberToHex } from "viem";
import { type AssetContent, detailFields } from "../../../domain/asset/asset.ts";
import { explanation, type Proof } from "../../../proof/src/proof.ts";
import { assetId } from "../asset-id.ts";
import { headerRlp } from "./header.ts";

/** Sends one JSON-RPC request to a node. */
export type Rpc = (method: string, params: unknown[]) => Promise<unknown>;

type Asked = { chainId: number; registry: Address; asset: AssetContent; children?: Hex[]; block?: Hex };
type NodeProof = { accountProof: string[]; storageProof: { proof: string[] }[] };

const slotOf = (key: Hex, slot: Hex) => keccak256(concat([key, slot]));
const word = (value: number) => numberToHex(value, { size: 32 });

/** Slots of the registry's storage, by viem. */
export const slots = {
  asset: (id: Hex): Hex => slotOf(id, word(4)),
  link: (parent: Hex, child: Hex): Hex => slotOf(child, slotOf(parent, word(5))),
};

/** Makes a proof document of what a node answers, at its latest block unless another is named. */
export async function proofFromNode(rpc: Rpc, asked: Asked): Promise<Proof> {
  const { chainId, registry, asset, children = [] } = asked;
  const id = assetId({ chainId, address: registry }, asset);
  const block = (await rpc("eth_getBlockByNumber", [asked.block ?? "latest", false])) as Record<
    string,
    string
  >;
  const keys = [slots.asset(id), ...children.map((child) => slots.link(id, child))];
  const found = (await rpc("eth_getProof", [registry, keys, block["number"]])) as NodeProof;
  const [assetSlot, ...links] = found.storageProof.map(({ proof }) => ({ proof }));
  const texts = Object.fromEntries(detailFields.map((field) => [field, asset.details[field]]));
  return {
    format: "asset-registry-proof",
    version: 1,
    chainId,
    registry,
    block: {
      number: Number(block["number"]),
      hash: block["hash"] as string,
      timestamp: Number(block["timestamp"]),
      header: headerRlp(block),
    },
    account: { proof: found.accountProof },
    asset: { id, author: asset.author, salt: asset.salt, ...texts } as Proof["asset"],
    assetSlot: assetSlot ?? { proof: [] },
    links: links.map(({ proof }, index) => ({ child: children[index] as string, proof })),
    event: { blockNumber: 0, blockHash: word(0), transactionHash: word(0), logIndex: 0 },
    explanation,
  };
}
