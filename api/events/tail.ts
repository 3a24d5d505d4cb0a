import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../../db/core/pool.ts";
import { createWakeSignal, type WakeSignal } from "../../db/core/wake-signal.ts";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import { eventBounds, readAllEvents } from "../../db/service/events/read.ts";
import type { Log } from "../http/request-log.ts";

export type TailSettings = {
  /** Milliseconds between two looks at the log where nobody says that it has grown: first so few, then ever more. */
  soonest: number;
  poll: number;
  /** Most events that are read at once. */
  batch: number;
  /** Events that stay in memory, for streams that resume. */
  kept: number;
};

const usual: TailSettings = { soonest: 20, poll: 500, batch: 100, kept: 500 };

/** Milliseconds of telling after which requests get their turn. */
const NOTICEABLE = 5;

/** Receives the events that the tail reads. */
export type Follower = {
  /** All events in order, as they are committed. */
  tell(events: readonly LoggedEvent[]): void;
  /** The log does not hold what was read of it, as after a restore: what follows cannot be told from here. */
  lost(): void;
};

/** One following of the log, from the first stream to the last. */
type Run = {
  stop: AbortController;
  /** Ends a wait for events. */
  growth: WakeSignal;
  recent: LoggedEvent[];
  position: number;
  begun: Promise<void>;
};

export type Tail = ReturnType<typeof createTail>;

/**
 * Reads the end of the log, once for all streams of the process, while there are any. It looks when it is woken, and
 * now and then besides: behind a pooler no notification comes. While the database is away nothing is told, and nothing skipped.
 */
export function createTail(pool: Pool, log: Log, follower: Follower, given: Partial<TailSettings> = {}) {
  const { soonest, poll, batch, kept } = { ...usual, ...given };
  let run: Run | undefined;
  /** When the events of the last look began to be told. */
  let toldAt: number | undefined;

  /** Begins a little before the end of the log, for streams that resume. */
  async function begin(started: Run): Promise<void> {
    const { first, last } = await eventBounds(pool);
    started.position = Math.max(0, first - 1, last - kept);
    while (started.position < last && !started.stop.signal.aborted) await readOn(started);
  }

  /** Reads the next events, and the newest known one again, which must still be there. @returns how many were new */
  async function readOn(current: Run): Promise<number> {
    const { recent } = current;
    const known = recent.at(-1);
    const found = await readAllEvents(pool, current.position - (known === undefined ? 0 : 1), batch + 1);
    if (current.stop.signal.aborted) return 0;
    if (known !== undefined && found.shift()?.id !== known.id) {
      log.warn({ sequence: known.sequence }, "the log of events is another one: streams end");
      follower.lost();
      return 0;
    }
    recent.push(...found);
    if (recent.length > 2 * kept) recent.splice(0, recent.length - kept);
    current.position = recent.at(-1)?.sequence ?? current.position;
    tell(found);
    return found.length;
  }

  /** Whoever was not told must not go on as if nothing had been missed. */
  function tell(events: readonly LoggedEvent[]): void {
    if (events.length > 0) toldAt = performance.now();
    try {
      follower.tell(events);
    } catch (error) {
      log.error({ err: { message: String(error) } }, "events not told: streams end");
      follower.lost();
    }
  }

  async function follow(current: Run): Promise<void> {
    const { growth, stop } = current;
    const { signal } = stop;
    let [isDown, isBehind] = [false, false];
    let wait = poll;
    while (!signal.aborted) {
      toldAt = undefined;
      try {
        const found = await readOn(current);
        isBehind = found >= batch;
        // Where many commit at once, some send no notification: others follow soon.
        wait = found > 0 ? soonest : Math.min(2 * wait, poll);
        isDown = false;
      } catch (error) {
        if (!isDown) log.warn({ err: { message: String(error) } }, "events not read: streams wait");
        isDown = true;
        wait = poll;
      }
      // Sockets are written to before the next turn.
      await nextTurn();
      const took = toldAt === undefined ? 0 : performance.now() - toldAt;
      // Requests get most of the time, however many streams there are, unless these fall behind.
      if (took > NOTICEABLE) await sleep(Math.min(isBehind ? took : 2 * took, poll));
      if (!isBehind || isDown) await growth.wait(wait, signal);
    }
  }

  function startRun(): Run {
    const started: Run = {
      stop: new AbortController(),
      growth: createWakeSignal(),
      recent: [],
      position: 0,
      begun: Promise.resolve(),
    };
    started.begun = begin(started);
    started.begun.then(
      () => follow(started),
      () => {
        if (run === started) run = undefined;
      },
    );
    return started;
  }

  return {
    /** Starts to follow the log where that is not so yet. @throws where the database does not answer */
    async start(): Promise<void> {
      run ??= startRun();
      await run.begun;
    },
    stop(): void {
      run?.stop.abort();
      run = undefined;
    },
    /** The log has grown. */
    wake: (): void => run?.growth.wake(),
    /** Up to where the log has been read. */
    position: (): number => run?.position ?? 0,
    /** The first events after a position that are still in memory; undefined where some of them are not. */
    since(after: number, most: number): LoggedEvent[] | undefined {
      const { recent, position } = run ?? { recent: [], position: 0 };
      if (after >= position) return [];
      const first = recent[0]?.sequence;
      if (first === undefined || after < first - 1) return undefined;
      const start = recent.findIndex(({ sequence }) => sequence > after);
      return recent.slice(start, start + most);
    },
  };
}
