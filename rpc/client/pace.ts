import { setTimeout as sleep } from "node:timers/promises";

const windowMs = 1_000;
/** Calls a second from which on a limit is dropped. */
const fastest = 1_000;
const slowest = 0.5;
const shortestRestMs = 500;
const longestRestMs = 8_000;
/** Lowest initial rate after the first rejection. */
const firstAllowed = 20;
/** Growth of the rate each second; it doubles from one second to the next. */
const [slowestGrowth, fastestGrowth] = [1.1, 1.5];
/** How long the rate stays below a rejected one, and the factor for repeated rejections at the same rate. */
const [heldMs, mostAlike] = [2_000, 8];

/** `mostUnderWay`: concurrent exchanges, of any number of calls. */
type Options = { signal: AbortSignal | undefined; mostUnderWay: number };

export type Pace = ReturnType<typeof createPace>;

/**
 * Adaptive rate limit of one provider. Unlimited until it rejects; then calls are sent at the rate at which it answered,
 * which grows until it rejects again.
 */
export function createPace({ signal, mostUnderWay }: Options, now: () => number = () => performance.now()) {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  /** Calls a second; undefined while no limit is known. */
  let rate: number | undefined;
  /** The rejected rate, and how often in a row it was about the same. */
  let rejectedRate = Number.POSITIVE_INFINITY;
  let alike = 0;
  let timesTooFast = 0;
  let growth = slowestGrowth;
  let loweredAt = Number.NEGATIVE_INFINITY;
  let raisedAt = 0;
  let nextAt = 0;
  let restUntil = 0;
  let rests = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let started: Beat[] = [];
  let answered: Beat[] = [];

  function sumOfWindow(beats: Beat[]): number {
    const from = now() - windowMs;
    while (beats[0] !== undefined && beats[0].at < from) beats.shift();
    return beats.reduce((sum, { calls }) => sum + calls, 0);
  }

  const wait = (ms: number) => sleep(ms, undefined, signal && { signal }).catch(() => undefined);

  async function waitForTurn(calls: number): Promise<void> {
    while (!signal?.aborted) {
      const at = now();
      const pause = Math.max(restUntil, rate === undefined ? 0 : nextAt) - at;
      if (pause <= 0) break;
      await wait(pause);
    }
    if (rate !== undefined) nextAt = Math.max(now(), nextAt) + (calls * 1_000) / rate;
  }

  /** Grows quickly up to the rejected rate, and after a while slowly beyond. */
  function raise(): void {
    const at = now();
    if (rate === undefined || at - raisedAt < windowMs) return;
    raisedAt = at;
    const known = 0.9 * rejectedRate;
    if (rate < known) rate = Math.min(known, rate * 1.5 + 0.2);
    else if (at - loweredAt > heldMs * Math.min(alike, mostAlike)) {
      rate = rate * growth + 0.1;
      growth = Math.min(fastestGrowth, 1 + 2 * (growth - 1));
    }
    if (rate > fastest) rate = undefined;
  }

  function lower(allowed: number): void {
    timesTooFast += 1;
    const before = Math.min(
      rate ?? Number.POSITIVE_INFINITY,
      Math.max(allowed, rate === undefined ? firstAllowed : 1),
    );
    alike = before > 0.7 * rejectedRate && before < 1.4 * rejectedRate ? alike + 1 : 0;
    rejectedRate = allowed === 0 && rate !== undefined ? rate / 2 : before;
    rate = Math.max(slowest, 0.85 * rejectedRate);
    growth = slowestGrowth;
    loweredAt = now();
    raisedAt = loweredAt;
  }

  return {
    /** The current limit in calls a second; undefined where none is known. */
    rate: () => rate,
    /** Number of rejections. */
    timesTooFast: () => timesTooFast,
    /** Calls that began in the last second. */
    lately: () => sumOfWindow(started),
    /** Calls that were answered in the last second. */
    answeredLately: () => sumOfWindow(answered),
    answeredSince: (at: number) => answeredAt >= at,
    /** Waits for a slot. @returns a function that frees it */
    async begin(calls: number): Promise<() => void> {
      if (underWay >= mostUnderWay) await new Promise<void>((resolve) => waiting.push(resolve));
      else underWay += 1;
      if (restUntil > 0 || rate !== undefined) await waitForTurn(calls);
      started.push({ at: now(), calls });
      if (started.length > 2 * fastest) started = started.slice(-fastest);
      return () => {
        const next = waiting.shift();
        if (next === undefined) underWay -= 1;
        else next();
      };
    },
    succeeded(calls: number): void {
      answeredAt = now();
      rests = 0;
      answered.push({ at: answeredAt, calls });
      if (answered.length > 2 * fastest) answered = answered.slice(-fastest);
      raise();
    },
    /**
     * The provider rate limited a call: pauses, then sends at a lower rate.
     * @param allowed calls that it answered in the second before
     * @param askedMs the pause that it asked for
     */
    tooFast(allowed: number, askedMs?: number): void {
      const at = now();
      // Concurrent calls are rejected together, which counts as one rejection.
      if (at - loweredAt >= windowMs / 2) {
        lower(allowed);
        const rest = askedMs ?? Math.min(longestRestMs, shortestRestMs * 2 ** rests);
        rests = Math.min(rests + 1, 5);
        restUntil = Math.max(restUntil, at + rest);
        nextAt = restUntil;
      } else if (askedMs !== undefined) restUntil = Math.max(restUntil, at + askedMs);
    },
    /** Pauses for a time. */
    rest(ms: number): void {
      restUntil = Math.max(restUntil, now() + ms);
    },
    /** Waits for the end of a pause. */
    rested: async (): Promise<void> => {
      while (!signal?.aborted && restUntil > now()) await wait(restUntil - now());
    },
  };
}

type Beat = { at: number; calls: number };
