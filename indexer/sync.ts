import type { Logger } from "pino";
import { findBlockHash } from "../db/blocks.ts";
import { type Cursor, noteHead, readCursor } from "../db/cursor.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { limits } from "../domain/limits.ts";
import { applyBatch } from "./apply.ts";
import { createBackfill } from "./backfill.ts";
import { ChainMovedError, FatalError } from "./errors.ts";
import { readFates } from "./fates.ts";
import type { Header, Node } from "./node.ts";
import { rollBack } from "./reorg.ts";
import { readTail } from "./tail.ts";

type Dependencies = { pool: Pool; node: Node; confirmations: number | "finalized"; log: Logger };

/** Brings the index up to the chain's head, one batch a step. */
export function createSync({ pool, node, confirmations, log }: Dependencies) {
  const backfill = createBackfill(node);

  /** @returns whether more is left to do */
  async function step(): Promise<boolean> {
    const cursor = await readCursor(pool);
    if (cursor === undefined) throw new FatalError("The index has not been begun");
    const head = await node.header("latest");
    if (head === undefined) throw new ChainMovedError("The node names no latest block");
    await inTransaction(pool, (tx) => noteHead(tx, head.number, confirmations));

    if (head.number <= cursor.blockNumber) {
      if (await continues(cursor, head)) return false;
      return undo(cursor, head.number);
    }
    const settledUpTo = head.number - limits.reorgDepth;
    const read =
      cursor.blockNumber < settledUpTo
        ? await backfill.read(cursor, settledUpTo)
        : await readTail(node, cursor, head.number);
    if (read === undefined) return undo(cursor, head.number);

    const known = new Map(read.blocks.map((block) => [block.number, block]));
    const last = read.blocks[read.blocks.length - 1] as Header;
    await applyBatch(pool, cursor, {
      blocks: read.blocks,
      decoded: read.decoded,
      fates: await readFates(pool, node, last, known),
      finalNumber: await finalNumber(last),
      atHead: last.number === head.number,
    });
    log.debug({ block: last.number, head: head.number, logs: read.logs }, "indexed");
    return last.number < head.number;
  }

  /** A head behind the cursor is a node that lags, unless it has another block than the index at that height. */
  async function continues(cursor: Cursor, head: Header): Promise<boolean> {
    if (head.number === cursor.blockNumber)
      return head.hash === cursor.blockHash || cursor.blockHash === undefined;
    const stored = await findBlockHash(pool, head.number);
    return stored === undefined || stored === head.hash;
  }

  async function undo(cursor: Cursor, headNumber: number): Promise<true> {
    const { ancestor, depth, undidFinal } = await rollBack(pool, node, cursor, headNumber);
    const facts = { from: cursor.blockNumber, oldHash: cursor.blockHash, to: ancestor.number, depth };
    if (undidFinal)
      log.error({ ...facts, final: cursor.finalNumber }, "a reorg removed blocks that were final");
    else log.warn(facts, "rolled back a reorg");
    return true;
  }

  async function finalNumber(last: Header): Promise<number> {
    if (confirmations !== "finalized") return Math.max(-1, last.number - confirmations + 1);
    const finalized = await node.header("finalized");
    return Math.min(last.number, finalized?.number ?? -1);
  }

  return { step };
}
