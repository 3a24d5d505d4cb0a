import type { TransactionStatus } from "./types/transaction.ts";

/** Somebody who waits for a transaction. */
export type Watcher = {
  /** Milliseconds between two polls. */
  interval: number;
  onStatus(status: TransactionStatus): void;
  /** Called when a poll failed and another one will follow. */
  onRetry(error: Error): void;
  onError(error: unknown): void;
};

/** A transaction to poll; `due` is the time of its next poll on the clock of `performance.now()`. */
export type PollEntry = { id: string; due: number; isAlone: boolean; watchers: Set<Watcher> };

/** The most transactions of one poll, as many as the service answers. */
const BATCH_SIZE = 100;

/** The form of an id in a batch; any other id is asked for alone, so that it alone is refused. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The transactions to poll, in the order of their last poll. */
export function createPollQueue() {
  const entries = new Map<string, PollEntry>();
  return {
    isEmpty: () => entries.size === 0,

    /** Makes the transaction due at once. */
    add(id: string, watcher: Watcher): PollEntry {
      const entry = entries.get(id) ?? { id, due: 0, isAlone: !uuid.test(id), watchers: new Set() };
      entry.due = 0;
      entry.watchers.add(watcher);
      entries.set(id, entry);
      return entry;
    },

    remove(entry: PollEntry, watcher: Watcher): void {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && entries.get(entry.id) === entry) entries.delete(entry.id);
    },

    /** Moves a polled transaction to the end, unless nobody waits for it any more. */
    postpone(entry: PollEntry, due: number): void {
      if (entries.get(entry.id) !== entry) return;
      entry.due = due;
      entries.delete(entry.id);
      entries.set(entry.id, entry);
    },

    /** The next batch of what is due; empty where nothing is. */
    nextBatch(now: number): PollEntry[] {
      const batch: PollEntry[] = [];
      for (const entry of entries.values()) {
        if (entry.due > now || (entry.isAlone && batch.length > 0)) continue;
        batch.push(entry);
        if (entry.isAlone || batch.length === BATCH_SIZE) break;
      }
      return batch;
    },

    /** The earliest time at which something is due. */
    nextDue(): number {
      let next = Number.POSITIVE_INFINITY;
      for (const { due } of entries.values()) next = Math.min(next, due);
      return next;
    },
  };
}
