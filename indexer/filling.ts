import type { Logger } from "pino";
import { analyzeIndex } from "../db/analyze.ts";
import { forgetEmptyBlocks } from "../db/blocks.ts";
import { readCursor } from "../db/cursor.ts";
import { lacksLateParts, makeLateParts } from "../db/late-parts.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { limits } from "../domain/limits.ts";

/** Whether the index is being filled for the first time, without what `db/late-parts.ts` names. */
export function createFilling(pool: Pool, log: Logger) {
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
    await makeLateParts(pool, (part) => log.info({ part }, "making an index that filling did without"));
    await inTransaction(pool, async (tx) => {
      const { blockNumber = 0 } = (await readCursor(tx)) ?? {};
      await forgetEmptyBlocks(tx, 0, blockNumber - limits.reorgDepth);
    });
    await inTransaction(pool, analyzeIndex);
    filling = false;
    const seconds = Math.round((performance.now() - begin) / 1000);
    log.info({ seconds }, "the index has all that it needs to be searched");
  }

  return { now, end, forget };
}
