import { inTransaction, type Pool } from "../db/core/pool.ts";
import { type Expired, requestsExpired } from "../db/service/requests/expired.ts";
import { recordStates } from "../db/service/requests/history.ts";
import { removeOldReportedHashes } from "../db/service/transactions/reported-hashes.ts";

/** Rows of a batch, few enough that its locks are short. */
const most = 250;

/** Expires unsigned requests and reported hashes, in batches. */
export function createSweep(pool: Pool) {
  async function recordExpired(signal: AbortSignal): Promise<void> {
    let after: Expired | undefined;
    do {
      const due = await requestsExpired(pool, most, after);
      const ids = due.map(({ id }) => id);
      if (ids.length > 0) await inTransaction(pool, (tx) => recordStates(tx, ids));
      after = due.length < most ? undefined : due.at(-1);
    } while (after !== undefined && !signal.aborted);
  }

  async function removeReportedHashes(signal: AbortSignal): Promise<void> {
    while ((await removeOldReportedHashes(pool, most)) === most && !signal.aborted);
  }

  return async (signal: AbortSignal): Promise<void> => {
    await recordExpired(signal);
    await removeReportedHashes(signal);
  };
}
