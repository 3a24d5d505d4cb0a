import { higher, lower, safeReplacementFee } from "../../domain/fees.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";

/** Fees in wei per gas; no priority fee on a chain without a base fee. */
export type RelayFees = { maxFee: bigint; priorityFee: bigint | undefined };

/** A proposed tip is capped at this part of the highest fee, or at twice the base fee. */
const tipShare = 10n;

/**
 * Fees of a transaction that should be mined soon.
 * @returns undefined where the chain needs more than `highest`
 */
export async function currentFees(node: Node, head: Header, highest: bigint): Promise<RelayFees | undefined> {
  const { baseFee, gasPrice, maxPriorityFeePerGas } = await node.fees(head);
  if (baseFee === null || maxPriorityFeePerGas === null) {
    return gasPrice > highest ? undefined : { maxFee: gasPrice, priorityFee: undefined };
  }
  const tip = lower(maxPriorityFeePerGas, higher(highest / tipShare, 2n * baseFee));
  if (baseFee + tip > highest) return undefined;
  return { maxFee: lower(2n * baseFee + tip, highest), priorityFee: tip };
}

/**
 * Fees that nodes accept for a replacement, or the current ones where those are higher.
 * @returns undefined where that is more than `highest`
 */
export function replacing(old: RelayFees, current: RelayFees, highest: bigint): RelayFees | undefined {
  const maxFee = higher(safeReplacementFee(old.maxFee), current.maxFee);
  if (maxFee > highest) return undefined;
  if (old.priorityFee === undefined) return { maxFee, priorityFee: undefined };
  return { maxFee, priorityFee: higher(safeReplacementFee(old.priorityFee), current.priorityFee ?? 0n) };
}

/**
 * Lowers fees to at most `most`.
 * @returns undefined where that is below the `least` that nodes accept
 */
export function within(fees: RelayFees, least: RelayFees, most: bigint): RelayFees | undefined {
  if (least.maxFee > most) return undefined;
  if (fees.priorityFee === undefined) return { maxFee: most, priorityFee: undefined };
  return { maxFee: most, priorityFee: lower(most, higher(fees.priorityFee, least.priorityFee ?? 0n)) };
}
