import type { Hash } from "viem";

/**
 * Where a log stands on the chain. Ordered by block number, then log index: a log's index counts through
 * its whole block, so the transaction index adds nothing to the order and is kept for people only.
 */
export type Position = {
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  transactionHash: Hash;
};
