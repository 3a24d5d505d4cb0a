import { setTimeout as sleep } from "node:timers/promises";
import type { Hash } from "viem";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Node } from "../../rpc/node.ts";

/** Stands for the hash of a number that the chain leaves out. */
const noBlock: Hash = `0x${"00".repeat(32)}`;
const reads = 3;
const betweenReadsMs = 100;
/** How long, and for how many polls, the chain must stay on a fork that it had left before it is followed back. */
const returnMs = 10_000;
const returnPolls = 5;
const remembered = 1_000;

/**
 * Distinguishes a reorg from a provider that alternates between two forks, as a load balancer in front of several nodes
 * may. A reorg is followed when several reads agree; back to a fork that was left, only after they have agreed for a
 * while. So an alternating provider causes at most one reorg in each direction.
 */
export function createForkGuard(node: Node, now: () => number = Date.now) {
  const left = new Set<Hash>();
  let returning: { to: Hash; since: number; polls: number } | undefined;

  return {
    /**
     * Waits until several reads agree on the chain's block at this height.
     * @returns its hash
     * @throws ChainMovedError where the reads disagree, or it is too early to decide
     */
    settle: async (number: number, indexed: Hash | undefined): Promise<Hash> => {
      let offered: Hash | undefined;
      for (let read = 0; read < reads; read += 1) {
        if (read > 0) await sleep(betweenReadsMs);
        const hash =
          (await node.header(number))?.hash ?? ((await node.leavesOut(number)) ? noBlock : undefined);
        if (hash !== undefined && hash !== indexed && (read === 0 || hash === offered)) offered = hash;
        else {
          returning = undefined;
          throw new ChainMovedError(`The node names different blocks ${number} from one read to the next`);
        }
      }
      if (offered !== undefined && left.has(offered)) {
        if (returning?.to !== offered) returning = { to: offered, since: now(), polls: 0 };
        returning.polls += 1;
        // A few polls may agree by chance, however long a time lies between them.
        if (now() - returning.since < returnMs || returning.polls < returnPolls) {
          throw new ChainMovedError(
            `The chain is back on a fork that it had left; waiting whether it stays there`,
          );
        }
      }
      returning = undefined;
      return offered as Hash;
    },
    /** The chain continues from the index. */
    agree(): void {
      returning = undefined;
    },
    /** Remembers blocks that a reorg removed. */
    leave(hashes: readonly Hash[]): void {
      for (const hash of hashes) left.add(hash);
      for (const hash of left) {
        if (left.size <= remembered) break;
        left.delete(hash);
      }
    },
  };
}
