import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { noteHalt } from "../db/cursor.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { backOff, FatalError } from "./errors.ts";

type Work = {
  /** One batch of the chain; answers whether more is left. */
  step: () => Promise<boolean>;
  /** One look at the transactions that are not on the chain. */
  pass: () => Promise<void>;
};

type Dependencies = { pool: Pool; pollInterval: number; log: Logger };

/** Seconds between two attempts while only an operator can help. */
const haltedSeconds = 30;

/**
 * Follows the chain until `signal` aborts. Trouble that may pass is tried again, slower each time; a
 * FatalError stops the writing, says so, and is checked again now and then in case somebody mended it.
 */
export async function followChain(
  work: Work,
  { pool, pollInterval, log }: Dependencies,
  signal: AbortSignal,
) {
  const stepping = repeat("following the chain", pollInterval, async () => {
    while (!signal.aborted && (await work.step()));
  });
  const watching = repeat("looking after transactions", pollInterval, work.pass);
  await Promise.all([stepping, watching]);

  async function repeat(what: string, interval: number, once: () => Promise<void>): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let pause = interval;
      try {
        await once();
        if (failures > 0) log.info({ failures }, `${what} works again`);
        failures = 0;
      } catch (error) {
        failures += 1;
        pause = await onFailure(what, error, failures);
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async function onFailure(what: string, error: unknown, failures: number): Promise<number> {
    if (error instanceof FatalError) {
      log.error({ problem: error.message }, `${what} stopped`);
      await inTransaction(pool, (tx) => noteHalt(tx, error.message)).catch(() => undefined);
      return haltedSeconds * 1000;
    }
    const seconds = backOff(failures);
    log.warn({ err: error, failures, retryInSeconds: seconds }, `${what} failed`);
    return Math.max(pollInterval, seconds * 1000);
  }
}
