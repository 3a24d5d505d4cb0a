import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Pool } from "../db/core/pool.ts";
import { LeaseLostError, releaseLease, renewLease, takeLease } from "../db/service/lease.ts";

type Dependencies = {
  pool: Pool;
  /** Id of this process. */
  holder: string;
  /** Seconds without a heartbeat after which the lease expires. */
  seconds: number;
  log: Logger;
  /** Runs with each heartbeat. @returns blocks a second during a backfill */
  onHeartbeat: () => Promise<number | undefined>;
};

/**
 * Runs `lead` while this process holds the lease, and stands by while another does, until `signal` aborts.
 * `lead` gets a signal that also aborts when the lease is lost; until then the guard of its pool refuses its writes.
 */
export async function whileLeading(
  { pool, holder, seconds, log, onHeartbeat }: Dependencies,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const heartbeatMs = (seconds * 1000) / 5;
  const retryMs = Math.min(1000, heartbeatMs);

  while (await taken()) {
    const term = new AbortController();
    const beating = keepAlive(term);
    try {
      await lead(AbortSignal.any([signal, term.signal]));
    } finally {
      term.abort();
      await beating;
      // Unreleased, it expires by itself.
      await releaseLease(pool, holder).catch((error) => log.warn({ err: error }, "lease release failed"));
    }
  }

  async function taken(): Promise<boolean> {
    let standingBy = false;
    let unreachable = false;
    while (!signal.aborted) {
      try {
        if (await takeLease(pool, holder, seconds)) {
          log.info({ holder }, "lease acquired");
          return true;
        }
        if (!standingBy) log.info({ holder }, "lease held by another indexer: standing by");
        standingBy = true;
      } catch (error) {
        if (!unreachable) log.warn({ err: error }, "waiting for the database");
        unreachable = true;
      }
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  function giveUp(term: AbortController): void {
    log.error({ holder }, "lease lost: this process was suspended, or cut off from the database");
    term.abort();
  }

  /** Statistics must not prevent a heartbeat. */
  async function statistics(): Promise<number | undefined> {
    try {
      return await onHeartbeat();
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      log.warn({ err: error }, "lease heartbeat without statistics");
      return undefined;
    }
  }

  async function keepAlive(term: AbortController): Promise<void> {
    while (!term.signal.aborted) {
      await sleep(heartbeatMs, undefined, { signal: term.signal }).catch(() => undefined);
      if (term.signal.aborted) return;
      try {
        const held = await renewLease(pool, holder, seconds, await statistics());
        if (held) continue;
        giveUp(term);
      } catch (error) {
        // The statistics are written under the lease's guard.
        if (error instanceof LeaseLostError) {
          giveUp(term);
          continue;
        }
        // Without the database nothing can be written either; the next heartbeat checks the lease again.
        log.warn({ err: error }, "lease heartbeat failed");
      }
    }
  }
}
