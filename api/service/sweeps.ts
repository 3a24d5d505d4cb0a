import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Pool } from "../../db/core/pool.ts";
import { removeOldAudit } from "../../db/service/audit.ts";
import { removeOldAnswers } from "../../db/service/idempotency-keys.ts";
import { removeEndedWindows } from "../../db/service/rate-windows.ts";
import { removeOldInitialisations } from "../../db/service/wallets.ts";
import type { Log } from "../http/request-log.ts";

/** Deletes a batch of expired rows. @returns how many */
export type Remove = (db: Database, most: number) => Promise<number>;

const sweeps: Record<string, Remove> = {
  "answers of old idempotency keys": removeOldAnswers,
  "windows of rate limits": removeEndedWindows,
  "old initialisations of wallets": removeOldInitialisations,
};

const auditOlderThan =
  (days: number): Remove =>
  (db, most) =>
    removeOldAudit(db, most, days);

/** Rows of a batch, which is deleted within moments. */
const MOST = 1_000;

/**
 * Deletes expired rows periodically in the background and in batches, so that no request pays for them. Several processes
 * may run it at once.
 * @param auditDays days for which the audit log is kept; 0: for ever
 */
export async function sweepUp(
  pool: Pool,
  log: Log,
  signal: AbortSignal,
  { interval = 60_000, auditDays = 0 }: { interval?: number; auditDays?: number } = {},
): Promise<void> {
  const all = auditDays === 0 ? sweeps : { ...sweeps, "rows of the audit trail": auditOlderThan(auditDays) };
  while (!signal.aborted) {
    for (const [what, remove] of Object.entries(all)) {
      try {
        while (!signal.aborted && (await remove(pool, MOST)) === MOST);
      } catch (error) {
        log.warn({ err: { message: String(error) } }, `sweep of ${what} failed`);
      }
    }
    await sleep(interval, undefined, { signal }).catch(() => undefined);
  }
}
