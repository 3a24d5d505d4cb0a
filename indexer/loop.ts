import type { Logger } from "pino";
import { OrphanedRowsError } from "../db/chain/deferred-indexes.ts";
import { recordHalt } from "../db/chain/index-position.ts";
import { LinkOutOfTurnError } from "../db/chain/links.ts";
import { inTransaction, type Pool } from "../db/core/pool.ts";
import { createWakeSignal, type WakeSignal } from "../db/core/wake-signal.ts";
import { backOff } from "../domain/back-off.ts";
import { ChainMovedError } from "../rpc/errors/chain-errors.ts";
import { NodeError } from "../rpc/errors/node-error.ts";
import { failureReason } from "./failure-reason.ts";
import { isFatal } from "./fatal-error.ts";
import { createMetrics, type Metrics } from "./monitoring/metrics.ts";
import { createThrottledLog } from "./throttled-log.ts";
import { createWaits } from "./waits.ts";

type Work = {
  /** Indexes one batch of the chain. @returns whether more is left */
  step: () => Promise<boolean>;
  /** One pass over the transactions that are not on the chain. */
  pass: () => Promise<void>;
  /** One pass over the signatures that the relayer has to send. */
  relay?: (() => Promise<void>) | undefined;
  /** Expires what is due, until the signal aborts. */
  sweep?: ((signal: AbortSignal) => Promise<void>) | undefined;
};

type Dependencies = {
  pool: Pool;
  pollInterval: number;
  log: Logger;
  metrics?: Metrics;
  /** Woken by a new block, so that it is read before the next poll. */
  newHead?: WakeSignal;
  delays?: Delays;
};

/** Seconds until a task that failed is tried again. */
export type Delays = {
  /** After so many failures in a row. */
  retry: (failures: number) => number;
  /** Between two checks whether the reason of a halt has gone. */
  halted: number;
};

const usualDelays: Delays = { retry: backOff, halted: 5 };

const following = "following the chain";
/** Consecutive failures after which an error in the data counts as permanent. */
const hopelessAfter = 5;

/**
 * Runs the indexer's tasks until `signal` aborts. Transient failures are retried with back-off; a permanent one halts
 * indexing, is reported, and is checked every few seconds.
 */
export async function followChain(
  work: Work,
  {
    pool,
    pollInterval,
    log,
    metrics = createMetrics(),
    newHead = createWakeSignal(),
    delays = usualDelays,
  }: Dependencies,
  signal: AbortSignal,
) {
  const logFailure = createThrottledLog(log, metrics);
  const waits = createWaits(pool);
  let haltedFor: string | undefined;
  const stepping = repeat(following, newHead, async () => {
    while (!signal.aborted && (await work.step()));
    haltedFor = undefined;
  });
  const watching = repeat("looking after transactions", createWakeSignal(), work.pass);
  const relaying = work.relay && repeat("relaying signatures", createWakeSignal(), work.relay);
  const { sweep } = work;
  const sweeping = sweep && repeat("sweeping", createWakeSignal(), () => sweep(signal));
  await Promise.all([stepping, watching, relaying, sweeping]);

  async function repeat(what: string, news: WakeSignal, once: () => Promise<void>): Promise<void> {
    const undisturbed = createWakeSignal();
    let failures = 0;
    while (!signal.aborted) {
      try {
        await once();
        if (failures > 0) log.info({ failures }, `${what} recovered`);
        failures = 0;
        await waits.ended(what);
        await news.wait(pollInterval, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        // A new head does not shorten the back-off.
        await undisturbed.wait(await onFailure(what, error, failures), signal);
      }
    }
  }

  /** @returns milliseconds until the next attempt */
  async function onFailure(what: string, error: unknown, failures: number): Promise<number> {
    // Only the chain's own task can halt indexing; the others are retried.
    if (what === following && stopsTheWriting(error, failures)) {
      await halt(error as Error);
      return delays.halted * 1000;
    }
    const asked = error instanceof NodeError ? error.retryAfterMs : undefined;
    const pause = Math.max(pollInterval, asked ?? delays.retry(failures) * 1000);
    logFailure(what, error, pause / 1000);
    await waits.began(what, error);
    return pause;
  }

  async function halt({ message }: Error): Promise<void> {
    if (haltedFor !== message) {
      metrics.count("halt_total");
      log.error({ err: { message } }, "indexing halted");
    }
    haltedFor = message;
    await inTransaction(pool, (tx) => recordHalt(tx, message)).catch(() => undefined);
  }
}

function stopsTheWriting(error: unknown, failures: number): boolean {
  if (isFatal(error) || error instanceof LinkOutOfTurnError || error instanceof OrphanedRowsError)
    return true;
  if (failures < hopelessAfter || error instanceof NodeError || error instanceof ChainMovedError)
    return false;
  // SQLSTATE class 22 is a data exception, class 23 a constraint violation.
  return error instanceof Error && /^database_2[23]/.test(failureReason(error));
}
