import { setTimeout as sleep } from "node:timers/promises";
import type { Hash } from "viem";
import { ChainMovedError } from "../../rpc/errors.ts";
import type { Node } from "../../rpc/node.ts";

/** In place of a hash, where the chain leaves out the number. */
const noBlock: Hash = `0x${"00".repeat(32)}`;
const looks = 3;
const betweenLooksMs = 100;
/** How long the chain must stay on a fork that it had left, before it is followed there again. */
const returnMs = 10_000;
const remembered = 1_000;

/**
 * Tells a reorg from a node that speaks for two chains in turn, as a load balancer in front of nodes on
 * different forks does. A reorg is followed when several looks agree; back to a fork that was left before,
 * only when they have agreed for a while. So a flapping node shows a change at most once each way.
 */
export function createForks(node: Node, now: () => number = Date.now) {
  const left = new Set<Hash>();
  let returning: { to: Hash; since: number } | undefined;

  return {
    /**
     * Waits until the chain's block at this height has been the same in several looks.
     * @returns its hash
     * @throws ChainMovedError where the looks disagree, or it is too early to say
     */
    settle: async (number: number, indexed: Hash | undefined): Promise<Hash> => {
      let offered: Hash | undefined;
      for (let look = 0; look < looks; look += 1) {
        if (look > 0) await sleep(betweenLooksMs);
        const hash =
          (await node.header(number))?.hash ?? ((await node.leavesOut(number)) ? noBlock : undefined);
        if (hash !== undefined && hash !== indexed && (look === 0 || hash === offered)) offered = hash;
        else {
          returning = undefined;
          throw new ChainMovedError(`The node names different blocks ${number} from one look to the next`);
        }
      }
      if (offered !== undefined && left.has(offered)) {
        if (returning?.to !== offered) returning = { to: offered, since: now() };
        if (now() - returning.since < returnMs) {
          throw new ChainMovedError(
            `The chain is back on a fork that it had left; waiting whether it stays there`,
          );
        }
      }
      returning = undefined;
      return offered as Hash;
    },
    /** Nothing is in dispute: the chain goes on from where the index is. */
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
