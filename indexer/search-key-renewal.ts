import type { Logger } from "pino";
import { inTransaction, type Pool } from "../db/core/pool.ts";
import { keyedTables, renewSearchKeys } from "../db/service/search-key-renewal.ts";

/**
 * Updates the search keys of older rows to the form of this version, in batches that are committed one by one, until all
 * are done or the signal aborts.
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
