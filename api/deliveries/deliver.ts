import { setTimeout as sleep } from "node:timers/promises";
import { followNotifications } from "../../db/core/notifications.ts";
import type { Pool } from "../../db/core/pool.ts";
import { createWakeSignal } from "../../db/core/wake-signal.ts";
import { backOff } from "../../domain/back-off.ts";
import type { Log } from "../http/request-log.ts";
import type { AddressRules } from "./addresses.ts";
import { createAgents } from "./agents.ts";
import { createDispatcher } from "./dispatch.ts";
import { createJobs } from "./jobs.ts";
import { openJobQueue } from "./queue.ts";
import { AT_ONCE, createStandings } from "./standing.ts";

/** Milliseconds between two looks where no notification comes. */
const POLL = 500;

/** Milliseconds for which what is under way may end by itself when the process stops. */
const GRACE = 4_000;

/** Milliseconds between two turns: under load one turn queues the events of many commits, and the database rests. */
const REST = 20;

export type DeliverySettings = {
  /** Deliveries that are begun at once; 0: none. */
  workers: number;
  rules: AddressRules;
  /** Told of each attempt: `delivered`, or a code of its problem. */
  observe?: (outcome: string, seconds: number) => void;
};

/**
 * Delivers events to webhooks, beside other processes that do, until the signal aborts and what was under way has
 * ended. Waits for a database that is away.
 * @param pool of its own: one connection waits for notifications
 */
export async function deliver(
  pool: Pool,
  log: Log,
  signal: AbortSignal,
  settings: DeliverySettings,
): Promise<void> {
  const { workers, rules, observe = () => undefined } = settings;
  if (workers === 0) return;
  const warn = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    log.warn({ err: { message } }, "deliveries wait");
  };
  const { wake, wait } = createWakeSignal();
  const queue = openJobQueue(pool, warn);
  const agents = createAgents(AT_ONCE);
  const cut = new AbortController();
  const standings = createStandings(workers);
  const work = {
    pool,
    log,
    queue,
    standings,
    options: { rules, agents },
    observe,
    signal: cut.signal,
    stopping: signal,
  };
  const dispatcher = createDispatcher(pool, queue);
  // With a place free, more may begin.
  const jobs = createJobs(work, wake, warn);

  const listening = followNotifications(pool, { events: wake, deliveries: wake }, signal);
  let failures = 0;
  let isStarted = false;
  while (!signal.aborted) {
    try {
      if (!isStarted) await queue.start();
      isStarted = true;
      if (await dispatcher.turn()) wake();
      await jobs.take();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) warn(error);
      await sleep(backOff(failures) * 1_000, undefined, { signal }).catch(() => undefined);
    }
    await sleep(REST, undefined, { signal }).catch(() => undefined);
    await wait(POLL, signal);
  }
  const timer = setTimeout(() => cut.abort(), GRACE);
  await jobs.ended();
  clearTimeout(timer);
  agents.close();
  await Promise.all([queue.stop().catch(warn), listening]);
}
