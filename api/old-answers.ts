import { setTimeout as sleep } from "node:timers/promises";
import { removeOldAnswers } from "../db/idempotency-keys.ts";
import type { Pool } from "../db/pool.ts";
import type { Log } from "./request-log.ts";

/** Few enough that removing them takes moments. */
const MOST = 1_000;

/** Removes kept answers whose time is over, again and again until it is stopped. Several may do so at once. */
export async function sweepOldAnswers(
  pool: Pool,
  log: Log,
  signal: AbortSignal,
  interval = 600_000,
): Promise<void> {
  while (!signal.aborted) {
    try {
      while ((await removeOldAnswers(pool, MOST)) === MOST && !signal.aborted);
    } catch (error) {
      log.warn({ problem: String(error) }, "answers of old idempotency keys could not be removed");
    }
    await sleep(interval, undefined, { signal }).catch(() => undefined);
  }
}
