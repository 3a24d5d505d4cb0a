import { inTransaction, type Pool } from "../db/core/pool.ts";
import { type Expired, requestsExpired } from "../db/service/requests/expired.ts";
import { noteStates } from "../db/service/requests/history.ts";
import { removeOldHints } from "../db/service/transactions/reported-hashes.ts";

/** Few enough that a batch takes moments, and its locks too. */
const most = 250;

/** What the clock changes, in batches: unsigned requests expire, and reported hashes are no longer looked for. */
export function createSweep(pool: Pool) {
  async function noteExpired(signal: AbortSignal): Promise<void> {
    let after: Expired | undefined;
    do {
      const due = await requestsExpired(pool, most, after);
      const ids = due.map(({ id }) => id);
      if (ids.length > 0) await inTransaction(pool, (tx) => noteStates(tx, ids));
      after = due.length < most ? undefined : due.at(-1);
    } while (after !== undefined && !signal.aborted);
  }

  async function removeHints(signal: AbortSignal): Promise<void> {
    while ((await removeOldHints(pool, most)) === most && !signal.aborted);
  }

  return async (signal: AbortSignal): Promise<void> => {
    await noteExpired(signal);
    await removeHints(signal);
  };
}
