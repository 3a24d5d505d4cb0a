import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Pool } from "../../db/core/pool.ts";
import { removeOldAudit } from "../../db/service/audit.ts";
import { removeEmptyLanes, removeOldDeliveries } from "../../db/service/deliveries/sweep.ts";
import { removeOldEvents } from "../../db/service/events/remove.ts";
import { removeOldAnswers } from "../../db/service/idempotency-keys.ts";
import { removeEndedWindows } from "../../db/service/rate-windows.ts";
import { removeOldInitialisations } from "../../db/service/wallets.ts";
import { deleteRemovedWebhooks } from "../../db/service/webhooks/remove.ts";
import type { Log } from "../http/request-log.ts";

/** Deletes a batch of expired rows. @returns how many */
export type Remove = (db: Database, most: number) => Promise<number>;

const sweeps: Record<string, Remove> = {
  "answers of old idempotency keys": removeOldAnswers,
  "windows of rate limits": removeEndedWindows,
  "old initialisations of wallets": removeOldInitialisations,
  "old deliveries to webhooks": removeOldDeliveries,
  "empty lanes of webhooks": removeEmptyLanes,
  "removed webhooks": deleteRemovedWebhooks,
};

/** Sweeps of the logs, each of which is kept for days of its own; 0: for ever. */
function logSweeps(auditDays: number, eventDays: number): Record<string, Remove> {
  return {
    ...(auditDays > 0 && { "rows of the audit trail": (db, most) => removeOldAudit(db, most, auditDays) }),
    ...(eventDays > 0 && { "old events": (db, most) => removeOldEvents(db, most, eventDays) }),
  };
}

/** Rows of a batch, which is deleted within moments. */
const MOST = 1_000;

/**
 * Deletes expired rows periodically in the background and in batches, so that no request pays for them. Several processes
 * may run it at once.
 * @param options `auditDays` and `eventDays`: for how long these logs are kept; 0: for ever
 */
export async function sweepUp(
  pool: Pool,
  log: Log,
  signal: AbortSignal,
  {
    interval = 60_000,
    auditDays = 0,
    eventDays = 0,
  }: { interval?: number; auditDays?: number; eventDays?: number } = {},
): Promise<void> {
  const all = { ...sweeps, ...logSweeps(auditDays, eventDays) };
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
