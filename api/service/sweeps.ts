import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Pool } from "../../db/core/pool.ts";
import { removeOldAudit } from "../../db/service/audit.ts";
import { removeEmptyLanes, removeOldDeliveries } from "../../db/service/deliveries/sweep.ts";
import { removeOldEvents } from "../../db/service/events/read.ts";
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

/** Logs, each kept for days of its own. */
const logs = { "rows of the audit trail": removeOldAudit, "old events": removeOldEvents };

const olderThan =
  (remove: (typeof logs)[keyof typeof logs], days: number): Remove =>
  (db, most) =>
    remove(db, most, days);

/** Rows of a batch, which is deleted within moments. */
const MOST = 1_000;

/**
 * Deletes expired rows periodically in the background and in batches, so that no request pays for them. Several processes
 * may run it at once.
 * @param days days for which each log is kept; 0: for ever
 */
export async function sweepUp(
  pool: Pool,
  log: Log,
  signal: AbortSignal,
  {
    interval = 60_000,
    days = {},
  }: { interval?: number; days?: Partial<Record<keyof typeof logs, number>> } = {},
): Promise<void> {
  const all = { ...sweeps };
  for (const [what, remove] of Object.entries(logs)) {
    const kept = days[what as keyof typeof logs] ?? 0;
    if (kept > 0) all[what] = olderThan(remove, kept);
  }
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
