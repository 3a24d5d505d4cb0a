import type { Logger } from "pino";
import { inTransaction, type Pool } from "../db/core/pool.ts";
import { keyedTables, renewSearchKeys } from "../db/service/search-key-renewal.ts";

/**
 * Brings the search keys of rows from before an upgrade to the form of this version, in batches until all are done
 * or the signal aborts. What is done stays done, whatever ends the process.
 */
export function createSearchKeyRenewal(pool: Pool, log: Logger) {
  const left = new Set(keyedTables);

  return async (signal: AbortSignal): Promise<void> => {
    for (const table of left) {
      let changed = 0;
      let done = false;
      while (!done && !signal.aborted) {
        const batch = await inTransaction(pool, (tx) => renewSearchKeys(tx, table));
        changed += batch.changed;
        done = batch.done;
      }
      if (done) left.delete(table);
      if (changed > 0) log.info({ table, rows: changed }, "search keys renewed");
    }
  };
}
