import type { Attempt } from "../../db/service/relays/relayer-nonces.ts";
import type { Header } from "../../rpc/calls/header.ts";

/** Blocks until the fee of a pending transaction is raised; twice as many after each raise, up to so many times. */
const [raiseAfter, mostDoublings] = [3, 6];
/** Oldest head in seconds at which fees are raised; with an older one the node is cut off. */
const staleHead = 300;

/** A nonce of the relayer that is not mined, and what is known of it. */
export type Pending = {
  newest: Pick<Attempt, "filler" | "maxFee" | "sentBlock">;
  /** Number of its transactions. */
  attempts: number;
  /** Whether its request is open and its signature still valid. */
  isWanted: boolean;
  /** Whether a block has one of its transactions, which the index may not have yet. */
  isMined: boolean;
  /** Whether the node has its newest transaction. */
  isKnown: boolean;
  /** Whether it is the next nonce of the account. */
  isLowest: boolean;
};

type Head = Pick<Header, "number" | "timestamp" | "baseFeePerGas">;

/**
 * What to do with a pending nonce.
 *
 * - `keep`: wait for a block
 * - `rebroadcast`: send the newest transaction again
 * - `bump`: replace it by the same call with higher fees
 * - `fill`: replace it by an empty transaction, which only uses the nonce up
 */
export type Step = "keep" | "rebroadcast" | "bump" | "fill";

/**
 * Decides on the next step.
 *
 * ```
 * is it of no use any more, and no filler yet?
 * ├── yes, and a block has it ................ keep
 * ├── yes .................................... fill
 * └── no
 *     ├── its fee is below the base fee ...... raise
 *     ├── the node does not have it .......... rebroadcast
 *     ├── it is the lowest, and waits long ... raise
 *     └── else ............................... keep
 * ```
 *
 * To raise is `fill` for a filler and `bump` for a call; but `keep` while the head is old.
 */
export function nextStep(pending: Pending, head: Head, nowMs: number = Date.now()): Step {
  const { newest, attempts, isMined, isKnown, isLowest } = pending;
  if (isUseless(pending)) return isMined ? "keep" : "fill";
  // Sending it again would be of no use: a node may drop it and reject it from then on.
  if (isUnderpriced(newest, head)) return raise(newest, head, nowMs);
  if (!isKnown || newest.sentBlock === undefined) return "rebroadcast";
  const patience = raiseAfter * 2 ** Math.min(attempts - 1, mostDoublings);
  const isStuck = isLowest && head.number - newest.sentBlock >= patience;
  return isStuck ? raise(newest, head, nowMs) : "keep";
}

/** The step after the node rejected the newest transaction for a fee that is too low. */
export function raise(
  { filler }: Pick<Attempt, "filler">,
  { timestamp }: Pick<Header, "timestamp">,
  nowMs: number = Date.now(),
): Step {
  if (nowMs / 1000 - timestamp > staleHead) return "keep";
  return filler ? "fill" : "bump";
}

/** Whether the call is not wanted any more, and its nonce has to be used up by another transaction. */
export const isUseless = ({
  isWanted,
  newest,
}: Pick<Pending, "isWanted"> & { newest: Pick<Attempt, "filler"> }) => !isWanted && !newest.filler;

export const isUnderpriced = (
  { maxFee }: Pick<Attempt, "maxFee">,
  { baseFeePerGas }: Pick<Header, "baseFeePerGas">,
): boolean => baseFeePerGas !== undefined && maxFee < baseFeePerGas;
