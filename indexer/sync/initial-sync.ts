import type { Logger } from "pino";
import { blockAfter, forgetEmptyBlocks } from "../../db/chain/blocks.ts";
import { lacksLateParts, makeLateParts } from "../../db/chain/deferred-indexes.ts";
import { readCursor } from "../../db/chain/index-position.ts";
import { analyzeIndex } from "../../db/core/analyze.ts";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { limits } from "../../domain/limits.ts";

/** Blocks that are looked at in one transaction. */
const atOnce = 10_000;

/** Whether the index is being filled for the first time, without what `db/chain/deferred-indexes.ts` names. */
export function createFilling(pool: Pool, log: Logger, signal?: AbortSignal) {
  let filling: boolean | undefined;

  /** The first answer comes from the database: it may have been begun by a process that is gone. */
  async function now(): Promise<boolean> {
    filling ??= await lacksLateParts(pool);
    return filling;
  }

  /** Looks again: another process may have put another index in the place of this one. */
  function forget(): void {
    filling = undefined;
  }

  /** Makes what is missing. It takes about a tenth of the time that filling took. */
  async function end(): Promise<void> {
    if (!(await now())) return;
    const begin = performance.now();
    const onPart = (part: string) => log.info({ part }, "making an index that filling did without");
    await makeLateParts(pool, onPart, signal);
    await forgetEmpty();
    await inTransaction(pool, analyzeIndex);
    filling = false;
    const seconds = Math.round((performance.now() - begin) / 1000);
    log.info({ seconds }, "the index has all that it needs to be searched");
  }

  /** Some at a time: of a long chain there are millions of blocks. */
  async function forgetEmpty(): Promise<void> {
    const { blockNumber = 0 } = (await readCursor(pool)) ?? {};
    const end = blockNumber - limits.reorgDepth;
    for (let from: number | undefined = 0; from !== undefined; ) {
      signal?.throwIfAborted();
      const begin: number = from;
      const next = await blockAfter(pool, begin, atOnce, end);
      await inTransaction(pool, (tx) => forgetEmptyBlocks(tx, begin, next ?? end));
      from = next;
    }
  }

  return { now, end, forget };
}
