import type { Address, Hash } from "viem";

/** Position of the index, with its registry and chain. */
export type IndexPosition = {
  chainId: number;
  registry: Address;
  startBlock: number;
  /** Everything up to this block is indexed; `startBlock - 1` before the first. */
  blockNumber: number;
  /** Undefined before the first block. */
  blockHash: Hash | undefined;
  /** Newest final block; -1 while there is none. */
  finalNumber: number;
  /** CONFIRMATIONS as the indexer applies it. */
  confirmations: number | "finalized";
  headNumber: number;
  headSeenAt: Date;
  haltedReason: string | undefined;
};
