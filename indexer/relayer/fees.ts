import type { Header, Node } from "../node.ts";

/** In wei for a unit of gas; no priority fee on a chain without a base fee. */
export type RelayFees = { maxFee: bigint; priorityFee: bigint | undefined };

const usualTip = 1_000_000_000n;

/** What a transaction offers that is to be mined soon. */
export async function currentFees(node: Node, head: Header): Promise<RelayFees> {
  if (head.baseFeePerGas === undefined) return { maxFee: await node.gasPrice(), priorityFee: undefined };
  // Not every node can say.
  const tip = await node.tip().catch(() => usualTip);
  return { maxFee: 2n * head.baseFeePerGas + tip, priorityFee: tip };
}

/** Fees that nodes take for a replacement, 12.5 % more each, or today's where those are higher. */
export function replacing(old: RelayFees, current: RelayFees): RelayFees {
  const more = (fee: bigint) => (fee * 1125n + 999n) / 1000n + 1n;
  const higher = (one: bigint, other: bigint) => (one > other ? one : other);
  const maxFee = higher(more(old.maxFee), current.maxFee);
  if (old.priorityFee === undefined) return { maxFee, priorityFee: undefined };
  return { maxFee, priorityFee: higher(more(old.priorityFee), current.priorityFee ?? 0n) };
}
