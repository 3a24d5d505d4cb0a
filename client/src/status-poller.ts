import type { ConnectionError, RegistryError } from "./errors.ts";
import { createPollQueue, type PollEntry, type Watcher } from "./poll-queue.ts";
import { backOff, isRetryable, LONGEST_RETRY_AFTER } from "./retry.ts";
import { LONGEST_TIMER } from "./timeout.ts";
import type { TransactionStatus } from "./types/transaction.ts";

/** Milliseconds between the starts of two polls: at most ten a second, however many wait. */
const LEAST_GAP = 100;
/** Milliseconds after which a new watcher is polled for, whatever pause was asked for before. */
const NEWCOMER_PAUSE = 2_000;

/** Reads one or several transactions; of several, unknown ones are left out of the answer. */
export type ReadStatuses = (ids: readonly string[], signal: AbortSignal) => Promise<TransactionStatus[]>;

/**
 * Polls in batches for all that wait in one client, one batch at a time. A `Retry-After` holds for all of them, but
 * for a minute at most, and only briefly for those who begin to wait later: one wrong answer must not silence a client.
 * @returns begins to watch a transaction, and returns a function that ends it
 */
export function createStatusPoller(
  read: ReadStatuses,
  { longest = LONGEST_RETRY_AFTER, newcomer = NEWCOMER_PAUSE } = {},
): (id: string, watcher: Watcher) => () => void {
  const queue = createPollQueue();
  let isRunning = false;
  let abort = new AbortController();
  let wake = (): void => undefined;
  let pausedUntil = 0;
  let joinedSincePoll = false;

  async function run(): Promise<void> {
    // All that begin to wait in one turn of the event loop share the first poll.
    await sleep(0);
    for (let failures = 0; !queue.isEmpty(); ) {
      const started = performance.now();
      const batch = queue.nextBatch(started);
      if (batch.length === 0) {
        await sleep(queue.nextDue() - started);
        continue;
      }
      joinedSincePoll = false;
      const error = await poll(batch);
      const wait = error === undefined ? 0 : Math.min(error.retryAfter ?? 0, longest) + backOff(failures);
      failures = error === undefined ? 0 : failures + 1;
      await pause(Math.max(wait, started + LEAST_GAP - performance.now()));
    }
    isRunning = false;
  }

  /** @returns an error after which the batch must be retried */
  async function poll(batch: PollEntry[]): Promise<RegistryError | ConnectionError | undefined> {
    try {
      const statuses = await read(
        batch.map(({ id }) => id),
        abort.signal,
      );
      const byId = new Map(statuses.map((status) => [status.id.toLowerCase(), status]));
      for (const entry of batch) {
        const status = batch.length === 1 ? statuses[0] : byId.get(entry.id.toLowerCase());
        if (status === undefined) {
          // Asked for alone, it is answered why it is missing.
          entry.isAlone = true;
          queue.postpone(entry, 0);
          continue;
        }
        for (const watcher of [...entry.watchers]) watcher.onStatus(status);
        const intervals = [...entry.watchers].map(({ interval }) => interval);
        queue.postpone(entry, performance.now() + Math.min(...intervals));
      }
      return undefined;
    } catch (error) {
      const retryable = isRetryable(error) ? error : undefined;
      for (const entry of batch) {
        for (const watcher of [...entry.watchers]) {
          if (retryable === undefined) watcher.onError(error);
          else watcher.onRetry(retryable);
        }
        queue.postpone(entry, 0);
      }
      return retryable;
    }
  }

  /** Sleeps until the time is over or `wake` is called. */
  async function sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, milliseconds), LONGEST_TIMER));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Sleeps although watchers join, who shorten it to their own longest pause. */
  async function pause(milliseconds: number): Promise<void> {
    pausedUntil = performance.now() + (joinedSincePoll ? Math.min(milliseconds, newcomer) : milliseconds);
    while (!queue.isEmpty() && performance.now() < pausedUntil) await sleep(pausedUntil - performance.now());
  }

  return (id, watcher) => {
    const entry = queue.add(id, watcher);
    joinedSincePoll = true;
    pausedUntil = Math.min(pausedUntil, performance.now() + newcomer);
    if (abort.signal.aborted) abort = new AbortController();
    if (isRunning) wake();
    else {
      isRunning = true;
      void run();
    }
    return () => {
      queue.remove(entry, watcher);
      if (!queue.isEmpty()) return;
      abort.abort();
      wake();
    };
  };
}
