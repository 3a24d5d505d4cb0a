/** What a document of another kind, or of a version that this package does not read, is told from. */
export const proofFormat = "asset-registry-proof";
export const proofVersion = 1;

/** Texts of an asset in the order in which its id commits to them. */
export const assetTexts = [
  "name",
  "data",
  "fileName",
  "fileType",
  "fileSize",
  "method",
  "hash",
  "uri",
] as const;

export type AssetText = (typeof assetTexts)[number];

/** A proof document of version 1, as docs/proof-format.md describes it; every `0x…` text is hex of whole bytes. */
export type Proof = {
  format: typeof proofFormat;
  version: typeof proofVersion;
  chainId: number;
  /** Address of the registry's contract. */
  registry: string;
  /** Block whose state is proven; `timestamp` in Unix seconds, `header` in RLP. */
  block: { number: number; hash: string; timestamp: number; header: string };
  /** Nodes of the state trie from its root to the registry's account, each in RLP. */
  account: { proof: string[] };
  asset: { id: string; author: string; salt: string } & Record<AssetText, string>;
  /** Nodes of the registry's storage trie from its root to the asset's slot. */
  assetSlot: { proof: string[] };
  /** Nodes of the storage trie to the slot of each link from the asset to a child. */
  links: { child: string; proof: string[] }[];
  /** Where the asset was created, as the service tells it: no part of the proof. */
  event: { blockNumber: number; blockHash: string; transactionHash: string; logIndex: number };
  /** What the proof shows and what not, in words for people; no check reads it. */
  explanation: string;
};
