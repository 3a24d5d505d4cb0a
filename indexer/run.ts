import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { inTransaction, openPool } from "../db/core/pool.ts";
import { waitForDatabase } from "../db/core/start.ts";
import { createWakeSignal } from "../db/core/wake-signal.ts";
import { readIndexPosition } from "../db/reads/index-position.ts";
import { addToCounters } from "../db/service/counters.ts";
import { proveLease } from "../db/service/lease.ts";
import { storeProviders } from "../db/service/providers.ts";
import { forgetRelayer } from "../db/service/relays/relayer.ts";
import { backOff } from "../domain/back-off.ts";
import packageJson from "../package.json" with { type: "json" };
import { listenForHeads } from "../rpc/new-heads.ts";
import { connectNode, type Node } from "../rpc/node.ts";
import { isFatal } from "./fatal-error.ts";
import { whileLeading } from "./lease.ts";
import { followChain } from "./loop.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import { type State, startMonitoring } from "./monitoring/monitoring.ts";
import { createProgress } from "./monitoring/progress.ts";
import { createWatch } from "./outbox/send-and-watch.ts";
import { createRelayer } from "./relayer/relayer.ts";
import { createSigning } from "./relayer/signing.ts";
import { checkNode } from "./start-checks.ts";
import { createSweep } from "./sweep.ts";
import { beginIndex } from "./sync/begin.ts";
import { createSync } from "./sync/sync.ts";
import { createThrottledLog } from "./throttled-log.ts";
import { createWaits } from "./waits.ts";

export type IndexerConfig = Pick<
  Config,
  "START_BLOCK" | "CONFIRMATIONS" | "POLL_INTERVAL" | "LEASE_SECONDS"
> &
  Partial<Pick<Config, "INDEXER_PORT" | "INDEXER_HOST" | "METRICS_TOKEN">> &
  Partial<Pick<Config, "RELAYER_KEY" | "RELAYER_DAILY_BUDGET" | "RELAYER_MAX_FEE">> & {
    [Name in "DATABASE_URL" | "RPC_URL" | "REGISTRY_ADDRESS"]: NonNullable<Config[Name]>;
  };

const idleLookMs = 30_000;
const reaching = "reaching node and database";

/**
 * Follows the chain, or stands by while another indexer does, until `signal` aborts.
 * @throws FatalError naming a setting that is wrong
 */
export async function runIndexer(config: IndexerConfig, log: Logger, signal: AbortSignal): Promise<void> {
  const holder = randomUUID();
  const pool = openPool(config.DATABASE_URL, {
    application: `indexer ${holder.slice(0, 8)}`,
    max: 5,
    onError: (error) => log.warn({ err: error }, "database connection lost"),
    guard: (tx) => proveLease(tx, holder),
  });
  const progress = createProgress(log);
  const metrics = createMetrics();
  const logFailure = createThrottledLog(log, metrics);
  const waits = createWaits(pool);
  const uncounted = new Map<string, number>();
  let node: Node | undefined;
  let lookedAtIdle = 0;
  const state: State = { role: "starting", waitingFor: undefined };
  // Aborts with the process, or when a check finds a wrong setting.
  const stop = new AbortController();
  const running = AbortSignal.any([signal, stop.signal]);
  let monitoring: Awaited<ReturnType<typeof startMonitoring>> | undefined;
  try {
    log.info({ version: packageJson.version, node: process.version }, "indexer starting");
    monitoring = await startMonitoring(config, { state, metrics, log });
    if (await databaseChecked()) {
      const leading = whileLeading(
        { pool, holder, seconds: config.LEASE_SECONDS, log, onHeartbeat },
        running,
        async (leading) => {
          state.role = "leading";
          await lead(leading).finally(() => {
            state.role = "standing by";
          });
        },
      );
      await allOrNone([leading, nodeChecked()]);
    }
    log.info("stopped");
  } finally {
    stop.abort();
    await monitoring?.close();
    await pool.end();
  }

  /** Aborts all when one fails. @throws the first failure, after all have ended */
  async function allOrNone(work: Promise<void>[]): Promise<void> {
    const watched = work.map((one) =>
      one.catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
    );
    for (const outcome of await Promise.allSettled(watched)) {
      if (outcome.status === "rejected") throw outcome.reason;
    }
  }

  async function databaseChecked(): Promise<boolean> {
    const found = await waitForDatabase(pool, {
      databaseUrl: config.DATABASE_URL,
      part: "indexer",
      signal,
      onWaiting(problem) {
        state.waitingFor = problem;
        log.warn({ err: { message: problem } }, "waiting for the database");
      },
    });
    if (found === undefined) return false;
    state.role = "standing by";
    const { newer, ...facts } = found;
    log.info(facts, "database checked");
    if (newer.length > 0) {
      log.warn({ migrations: newer }, "database schema is newer than this version: upgrade it");
    }
    return true;
  }

  /** Checks the node of a standby too, so that a wrong setting is not found only when it takes over. */
  async function nodeChecked(): Promise<void> {
    const node = connectNode(config.RPC_URL, { signal: running, log, metrics });
    const relayer = config.RELAYER_KEY && createSigning(config.RELAYER_KEY).address;
    try {
      await checkNode({ pool, node, log }, { registry: config.REGISTRY_ADDRESS, relayer }, running);
    } finally {
      node.close();
    }
  }

  async function lead(leading: AbortSignal): Promise<void> {
    const connected = connectNode(config.RPC_URL, { signal: leading, log, metrics });
    node = connected;
    const settings = { registry: config.REGISTRY_ADDRESS, startBlock: config.START_BLOCK };
    await untilReachable(async () => {
      await beginIndex(pool, connected, settings);
      if (config.RELAYER_KEY === undefined) await inTransaction(pool, forgetRelayer);
    }, leading);
    if (leading.aborted) return connected.close();
    log.info({ ...settings }, "indexing started");
    const confirmations = config.CONFIRMATIONS;
    const sync = createSync({ pool, node: connected, confirmations, log, metrics, signal: leading });
    const watch = createWatch({ pool, node: connected, log });
    const key = config.RELAYER_KEY;
    const relayer = createRelayer(
      { pool, node: connected, log },
      key && { key, dailyBudget: config.RELAYER_DAILY_BUDGET ?? 0n, maxFee: config.RELAYER_MAX_FEE },
    );
    const newHead = createWakeSignal();
    const sockets = config.RPC_URL.filter((url) => url.startsWith("ws"));
    await Promise.all([
      listenForHeads(sockets, { onHead: newHead.wake, log, metrics, signal: leading }),
      followChain(
        {
          step: sync.step,
          pass: watch.pass,
          relay: relayer.pass,
          sweep: createSweep(pool),
        },
        { pool, pollInterval: config.POLL_INTERVAL, log, metrics, newHead },
        leading,
      ),
    ]);
    connected.close();
    node = undefined;
    await storeCounts().catch(() => undefined);
  }

  async function onHeartbeat(): Promise<number | undefined> {
    await storeCounts();
    if (node !== undefined) await recordProviders(node);
    const cursor = await readIndexPosition(pool);
    return cursor && progress.note(cursor);
  }

  /** Stores the providers' health; idle ones are probed every 30 seconds. */
  async function recordProviders(of: Node): Promise<void> {
    if (Date.now() - lookedAtIdle > idleLookMs) {
      lookedAtIdle = Date.now();
      // A heartbeat must not wait for a node.
      of.lookAtIdle().catch((error) => log.warn({ err: error }, "probe of idle providers failed"));
    }
    const known = of.health().map(({ head: headBlock, ...health }) => ({ ...health, headBlock }));
    await storeProviders(pool, known);
  }

  /** Adds the counters of this process to those in the database, which the API exports. */
  async function storeCounts(): Promise<void> {
    for (const [name, amount] of metrics.take()) uncounted.set(name, (uncounted.get(name) ?? 0) + amount);
    const amounts = new Map(uncounted);
    await addToCounters(pool, amounts);
    for (const [name, amount] of amounts) uncounted.set(name, (uncounted.get(name) ?? 0) - amount);
    for (const [name, amount] of uncounted) if (amount === 0) uncounted.delete(name);
  }

  /** Retries until node and database are reachable. @throws FatalError for a wrong setting */
  async function untilReachable(begin: () => Promise<void>, leading: AbortSignal): Promise<void> {
    for (let failures = 1; !leading.aborted; failures += 1) {
      try {
        await begin();
        return await waits.ended(reaching);
      } catch (error) {
        if (isFatal(error)) throw error;
        if (leading.aborted) return;
        const seconds = Math.max(1, backOff(failures));
        logFailure(reaching, error, seconds);
        await waits.began(reaching, error);
        await sleep(seconds * 1000, undefined, { signal: leading }).catch(() => undefined);
      }
    }
  }
}
