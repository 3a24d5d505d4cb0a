import type { Logger } from "pino";
import type { Confirmations } from "../../config.ts";
import { type BlockHeader, findBlockHash } from "../../db/chain/blocks.ts";
import type { Pool } from "../../db/core/pool.ts";
import { isTransient, NodeAnswerError, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";

type Known = ReadonlyMap<number, Pick<BlockHeader, "hash">>;
type Last = Pick<BlockHeader, "number">;
type Dependencies = { pool: Pool; node: Node; confirmations: Confirmations; log: Logger };

/** Computes the newest final block by `CONFIRMATIONS`. Blocks that were final before stay so in the index position. */
export function createFinality({ pool, node, confirmations, log }: Dependencies) {
  let problem: string | undefined;

  /** Logs a problem once, until it changes or is gone. */
  function report(found: string | undefined): void {
    if (found !== undefined && found !== problem) {
      log.warn(
        { err: { message: found } },
        "node has no usable finalized block: no further block becomes final",
      );
    }
    problem = found;
  }

  /** A node that does not know the tag answers by an error, as geth does until a block has been finalized. */
  async function finalizedBlock(): Promise<BlockHeader | undefined> {
    try {
      return await node.header("finalized");
    } catch (error) {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      report(error.message);
      return undefined;
    }
  }

  async function finalized(last: Last, known: Known): Promise<number> {
    const block = await finalizedBlock();
    if (block === undefined) {
      report(problem ?? "it answers null");
      return -1;
    }
    if (block.number > last.number) return last.number;
    const indexed = known.get(block.number)?.hash ?? (await findBlockHash(pool, block.number));
    if (indexed !== undefined && indexed !== block.hash) {
      const contradiction = `it is block ${block.number} ${block.hash}, where the index has ${indexed}`;
      const error = new NodeAnswerError("eth_getBlockByNumber", ["finalized", false], contradiction);
      node.blame(error);
      report(error.message);
      return -1;
    }
    report(undefined);
    return block.number;
  }

  return {
    /**
     * The newest final block where the index ends with `last`; -1 where none is known to be.
     * @param known blocks up to `last` that are not stored yet
     */
    asOf: async (last: Last, known: Known = new Map()): Promise<number> =>
      confirmations === "finalized" ? finalized(last, known) : Math.max(-1, last.number - confirmations + 1),
  };
}
