import type { Address } from "viem";

/** What keeps the relayer from sending anything, by codes that the database stores, with their words. */
const relayerObstacles = {
  LOW_BALANCE: "the relayer's balance is too low",
  OVER_MAX_FEE: "the chain asks for more than RELAYER_MAX_FEE",
} as const;
export type RelayerObstacle = keyof typeof relayerObstacles;

/** Why one signature waits for the relayer. */
export type SignatureObstacle = RelayerObstacle | "OVER_BUDGET" | "AUTHOR_SENDS";

export type RelayerTrouble = {
  obstacle: RelayerObstacle | undefined;
  /** The nonce that is not mined and blocks all later ones. */
  stuck: { nonce: number; since: Date } | undefined;
  /** An earlier account, whose key is gone, and its transactions that are not mined. */
  earlier: { relayer: Address; underWay: number } | undefined;
};

/** What an operator should know of a relayer, in a sentence; undefined where all is well. */
export function relayerProblem({ obstacle, stuck, earlier }: RelayerTrouble): string | undefined {
  const why = obstacle && relayerObstacles[obstacle];
  if (stuck !== undefined) {
    const problem = `no block has taken nonce ${stuck.nonce} of the relayer since ${stuck.since.toISOString()}, and all later ones wait`;
    return why === undefined ? problem : `${problem}: ${why}`;
  }
  if (why !== undefined || earlier === undefined) return why;
  return `${earlier.underWay} transactions of an earlier RELAYER_KEY are under way (${earlier.relayer}): they are sent again as they are`;
}
