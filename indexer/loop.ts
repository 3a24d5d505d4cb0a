import type { Logger } from "pino";
import { OrphanedRowsError } from "../db/chain/deferred-indexes.ts";
import { noteHalt } from "../db/chain/index-position.ts";
import { LinkOutOfTurnError } from "../db/chain/links.ts";
import { inTransaction, type Pool } from "../db/core/pool.ts";
import { backOff, ChainMovedError, FatalError, NodeError, reasonOf } from "../rpc/errors.ts";
import { createMetrics, type Metrics } from "./monitoring/metrics.ts";
import { createTroubleLog } from "./throttled-log.ts";
import { createWaits } from "./waits.ts";
import { type Bell, createBell } from "./wake-signal.ts";

type Work = {
  /** One batch of the chain; answers whether more is left. */
  step: () => Promise<boolean>;
  /** One look at the transactions that are not on the chain. */
  pass: () => Promise<void>;
  /** One look at what the relayer has to send. */
  relay?: (() => Promise<void>) | undefined;
  /** What the clock changes, until the signal aborts. */
  sweep?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** What an upgrade leaves to be done in rows from before it, until the signal aborts. */
  renew?: ((signal: AbortSignal) => Promise<void>) | undefined;
};

type Dependencies = {
  pool: Pool;
  pollInterval: number;
  log: Logger;
  metrics?: Metrics;
  /** Rings when the chain has a new block, so that it is read before the next poll. */
  newHead?: Bell;
};

const following = "following the chain";
/** Until the chain is looked at again, whether what stopped the writing has gone. */
const haltedSeconds = 5;
/** Trouble that is neither the node's nor the database's may pass, too; after so many times nobody counts on it. */
const hopelessAfter = 5;

/**
 * Follows the chain until `signal` aborts. Trouble that may pass is tried again, slower each time; what only
 * an operator or another turn of the chain can fix stops the writing, says so, and is looked at now and then.
 */
export async function followChain(
  work: Work,
  { pool, pollInterval, log, metrics = createMetrics(), newHead = createBell() }: Dependencies,
  signal: AbortSignal,
) {
  const noteTrouble = createTroubleLog(log, metrics);
  const waits = createWaits(pool);
  let haltedFor: string | undefined;
  const stepping = repeat(following, newHead, async () => {
    while (!signal.aborted && (await work.step()));
    haltedFor = undefined;
  });
  const watching = repeat("looking after transactions", createBell(), work.pass);
  const relaying = work.relay && repeat("relaying signatures", createBell(), work.relay);
  const { sweep, renew } = work;
  const sweeping = sweep && repeat("sweeping", createBell(), () => sweep(signal));
  const renewing = renew && repeat("renewing search keys", createBell(), () => renew(signal));
  await Promise.all([stepping, watching, relaying, sweeping, renewing]);

  async function repeat(what: string, news: Bell, once: () => Promise<void>): Promise<void> {
    const undisturbed = createBell();
    let failures = 0;
    while (!signal.aborted) {
      try {
        await once();
        if (failures > 0) log.info({ failures }, `${what} works again`);
        failures = 0;
        await waits.ended(what);
        await news.wait(pollInterval, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        // No news makes a node well, or a rest shorter.
        await undisturbed.wait(await onFailure(what, error, failures), signal);
      }
    }
  }

  /** @returns milliseconds until the next attempt */
  async function onFailure(what: string, error: unknown, failures: number): Promise<number> {
    // Nothing that fails beside the index is a reason not to index: it is tried again.
    if (what === following && stopsTheWriting(error, failures)) {
      await halt(what, error as Error);
      return haltedSeconds * 1000;
    }
    const asked = error instanceof NodeError ? error.retryAfterMs : undefined;
    const pause = Math.max(pollInterval, asked ?? backOff(failures) * 1000);
    noteTrouble(what, error, pause / 1000);
    await waits.began(what, error);
    return pause;
  }

  async function halt(what: string, { message }: Error): Promise<void> {
    if (haltedFor !== message) {
      metrics.count("halt_total");
      log.error({ problem: message }, `${what} stopped`);
    }
    haltedFor = message;
    await inTransaction(pool, (tx) => noteHalt(tx, message)).catch(() => undefined);
  }
}

function stopsTheWriting(error: unknown, failures: number): boolean {
  if ([FatalError, LinkOutOfTurnError, OrphanedRowsError].some((kind) => error instanceof kind)) return true;
  if (failures < hopelessAfter || error instanceof NodeError || error instanceof ChainMovedError)
    return false;
  // The database's word that a row cannot be, again and again: class 22 is bad data, class 23 a broken rule.
  return error instanceof Error && /^database_2[23]/.test(reasonOf(error));
}
