import type { TransactionStatus } from "./client.ts";
import type { ConnectionError, RegistryError } from "./errors.ts";
import { backOff, LONGEST_PAUSE, mayPass } from "./retry.ts";
import { LONGEST_TIMER } from "./timing.ts";

/** Milliseconds between the beginnings of two reads, however many wait: ten a second at most. */
const LEAST_GAP = 100;
/** Milliseconds after which somebody who begins to wait is looked at, whatever pause was asked for before. */
const NEWCOMER_PAUSE = 2_000;
/** Transactions that one read asks for, as many as the service answers. */
const MOST_IDS = 100;

/** Somebody who waits for a transaction. */
export type Watcher = {
  /** Milliseconds between two looks. */
  interval: number;
  saw(found: TransactionStatus): void;
  /** A look failed, and another one will be taken. */
  missed(error: Error): void;
  failed(error: unknown): void;
};

/** Reads one transaction, or several: of those, the unknown are left out of the answer. */
export type ReadStatuses = (ids: readonly string[], signal: AbortSignal) => Promise<TransactionStatus[]>;

type Watched = { due: number; isAlone: boolean; watchers: Set<Watcher> };

/** The form that several ids of one read must have; any other is asked for alone, and refused alone. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * All that wait in one client share these looks: one read at a time asks for up to a hundred transactions, those
 * first whose last look is the longest ago. What the service asks for by `Retry-After` holds for all, but not for
 * longer than a minute, nor for those who begin later: one wrong answer must not silence a client.
 * @returns begins to watch, and answers what ends it
 */
export function createStateSweep(
  read: ReadStatuses,
  { longest = LONGEST_PAUSE, newcomer = NEWCOMER_PAUSE } = {},
): (id: string, watcher: Watcher) => () => void {
  // In the order of their looks: who was looked at goes to the end.
  const watched = new Map<string, Watched>();
  let isRunning = false;
  let stop = new AbortController();
  let endPause = (): void => undefined;
  /** Until when the pause lasts that the service asked for, or that keeps two reads apart; undefined: there is none. */
  let restUntil: number | undefined;
  /** Somebody began to wait since the last look was begun. */
  let isAnyoneNew = false;

  async function run(): Promise<void> {
    // All that begin to wait in one turn share the first look.
    await sleep(0);
    for (let failures = 0; watched.size > 0; ) {
      const started = Date.now();
      const ids = dueIds(watched, started);
      if (ids.length === 0) {
        await sleep(nextDue(watched) - started);
        continue;
      }
      isAnyoneNew = false;
      const error = await look(ids);
      if (error === undefined) failures = 0;
      const asked = Math.min(error?.retryAfter ?? 0, longest);
      const pause = error === undefined ? 0 : Math.max(asked, backOff(failures++));
      await rest(Math.max(pause, started + LEAST_GAP - Date.now()));
    }
    isRunning = false;
  }

  /** @returns trouble that may pass */
  async function look(ids: string[]): Promise<RegistryError | ConnectionError | undefined> {
    const looked = ids.map((id) => [id, watched.get(id)] as const);
    try {
      const answered = await read(ids, stop.signal);
      const byId = new Map(ids.length === 1 ? [] : answered.map((one) => [one.id.toLowerCase(), one]));
      for (const [id, entry] of looked) {
        const status = ids.length === 1 ? answered[0] : byId.get(id.toLowerCase());
        if (entry === undefined) continue;
        // Alone it is answered why it is not there.
        if (status === undefined) entry.isAlone = true;
        else for (const watcher of [...entry.watchers]) watcher.saw(status);
        postpone(id, entry, status === undefined);
      }
      return undefined;
    } catch (error) {
      const passing = mayPass(error) ? error : undefined;
      for (const [id, entry] of looked) {
        for (const watcher of [...(entry?.watchers ?? [])]) {
          if (passing === undefined) watcher.failed(error);
          else watcher.missed(passing);
        }
        if (entry !== undefined) postpone(id, entry, true);
      }
      return passing;
    }
  }

  function postpone(id: string, entry: Watched, isDueAtOnce: boolean): void {
    if (watched.get(id) !== entry) return;
    const shortest = Math.min(...[...entry.watchers].map(({ interval }) => interval));
    entry.due = isDueAtOnce ? 0 : Date.now() + shortest;
    watched.delete(id);
    watched.set(id, entry);
  }

  /** A pause that ends early where somebody new begins to wait, or nobody waits any more. */
  async function sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, milliseconds), LONGEST_TIMER));
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A pause that ends early only where nobody waits any more, and soon after somebody new begins to wait. */
  async function rest(milliseconds: number): Promise<void> {
    // A clock that nobody sets.
    restUntil = performance.now() + (isAnyoneNew ? Math.min(milliseconds, newcomer) : milliseconds);
    while (watched.size > 0 && performance.now() < restUntil) await sleep(restUntil - performance.now());
    restUntil = undefined;
  }

  return (id, watcher) => {
    const entry = watched.get(id) ?? { due: 0, isAlone: !uuid.test(id), watchers: new Set() };
    entry.due = 0;
    entry.watchers.add(watcher);
    watched.set(id, entry);
    isAnyoneNew = true;
    if (stop.signal.aborted) stop = new AbortController();
    if (!isRunning) {
      isRunning = true;
      void run();
    } else {
      if (restUntil !== undefined) restUntil = Math.min(restUntil, performance.now() + newcomer);
      endPause();
    }
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size > 0 || watched.get(id) !== entry) return;
      watched.delete(id);
      if (watched.size > 0) return;
      stop.abort();
      endPause();
    };
  };
}

function dueIds(watched: ReadonlyMap<string, Watched>, now: number): string[] {
  const ids: string[] = [];
  for (const [id, { due, isAlone }] of watched) {
    if (due > now) continue;
    if (isAlone && ids.length > 0) continue;
    ids.push(id);
    if (isAlone || ids.length === MOST_IDS) break;
  }
  return ids;
}

function nextDue(watched: ReadonlyMap<string, Watched>): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { due } of watched.values()) next = Math.min(next, due);
  return next;
}
