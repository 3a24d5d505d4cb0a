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

/** Negative where `a` stands before `b`, positive where it stands behind. */
export function comparePositions(a: Position, b: Position): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}
