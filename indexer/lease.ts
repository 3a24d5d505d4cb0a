import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Pool } from "../db/core/pool.ts";
import { LeaseLostError, releaseLease, renewLease, takeLease } from "../db/service/lease.ts";

type Dependencies = {
  pool: Pool;
  /** This process, among all that may write. */
  holder: string;
  /** Without a sign of life for so many seconds the holder counts as gone. */
  seconds: number;
  log: Logger;
  /** Called with each sign of life; answers how fast the index comes on. */
  onBeat: () => Promise<number | undefined>;
};

/**
 * Runs `lead` while this process holds the lease, and stands by while another does, until `signal` aborts.
 * `lead` gets a signal that also aborts when the lease is lost; until it has noticed, the guard of its pool
 * refuses what it writes.
 */
export async function whileLeading(
  { pool, holder, seconds, log, onBeat }: Dependencies,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const beatMs = (seconds * 1000) / 5;
  const lookMs = Math.min(1000, beatMs);

  while (await taken()) {
    const term = new AbortController();
    const beating = keepAlive(term);
    try {
      await lead(AbortSignal.any([signal, term.signal]));
    } finally {
      term.abort();
      await beating;
      // Unreleased, it runs out by itself.
      await releaseLease(pool, holder).catch((error) =>
        log.warn({ err: error }, "the lease was not released"),
      );
    }
  }

  async function taken(): Promise<boolean> {
    let standingBy = false;
    let unreachable = false;
    while (!signal.aborted) {
      try {
        if (await takeLease(pool, holder, seconds)) {
          log.info({ holder }, standingBy ? "took over as the indexer that writes" : "this indexer writes");
          return true;
        }
        if (!standingBy) log.info({ holder }, "another indexer writes, standing by");
        standingBy = true;
      } catch (error) {
        if (!unreachable) log.warn({ err: error }, "the database cannot be reached yet");
        unreachable = true;
      }
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  function giveUp(term: AbortController): void {
    log.error({ holder }, "lost the lease: this process was stuck, or cut off from the database");
    term.abort();
  }

  /** What is told beside a sign of life must not keep this process from giving it. */
  async function tell(): Promise<number | undefined> {
    try {
      return await onBeat();
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      log.warn({ err: error }, "a sign of life tells nothing of how the index comes on");
      return undefined;
    }
  }

  async function keepAlive(term: AbortController): Promise<void> {
    while (!term.signal.aborted) {
      await sleep(beatMs, undefined, { signal: term.signal }).catch(() => undefined);
      if (term.signal.aborted) return;
      try {
        const held = await renewLease(pool, holder, seconds, await tell());
        if (held) continue;
        giveUp(term);
      } catch (error) {
        // What is stored with a sign of life proves the lease, too.
        if (error instanceof LeaseLostError) {
          giveUp(term);
          continue;
        }
        // Without the database nothing can be written either; the next beat says who holds the lease.
        log.warn({ err: error }, "gave no sign of life");
      }
    }
  }
}
