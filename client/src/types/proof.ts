import type { Hex } from "./hex.ts";

/** A proof that is checked without the service; docs/proof-format.md of the service describes it. */
export type Proof = {
  format: "asset-registry-proof";
  version: 1;
  chainId: number;
  /** Address of the registry's contract. */
  registry: Hex;
  /** Block whose state is proven; `timestamp` in Unix seconds, `header` in RLP. */
  block: { number: number; hash: Hex; timestamp: number; header: Hex };
  /** Nodes of the state trie on the way to the registry's account. */
  account: { proof: Hex[] };
  asset: {
    id: Hex;
    author: Hex;
    salt: Hex;
    name: string;
    data: string;
    fileName: string;
    fileType: string;
    fileSize: string;
    method: string;
    hash: string;
    uri: string;
  };
  /** Nodes of the registry's storage trie on the way to the asset's slot. */
  assetSlot: { proof: Hex[] };
  links: { child: Hex; proof: Hex[] }[];
  /** Where the asset was created, which is told and not proven. */
  event: { blockNumber: number; blockHash: Hex; transactionHash: Hex; logIndex: number };
  /** What the proof shows and what not, in words for people. */
  explanation: string;
};
