/**
 * Places for attempts of one process. An attempt gives its place back when it has ended, or when it has taken longer
 * than `patience`: receivers that are slow or dead wait beside the places and not in them, so nobody waits for them.
 */
export type Places = {
  /** Places that are free. */
  readonly free: number;
  /** Waits for a place, first come first served. */
  take(): Promise<void>;
  /** @returns how many of the wanted places could be had at once */
  takeMore(wanted: number): number;
  /** Gives places back in which no attempt was begun. */
  giveBack(places: number): void;
  /**
   * Runs an attempt in a place that was taken, and gives it back.
   * @param onLate called where the attempt loses its place
   */
  hold(attempt: () => Promise<void>, onLate?: () => void): Promise<void>;
};

/** Attempts that wait beside the places, for each place: more, and no new one begins. */
const BESIDE = 16;

/** @param patience milliseconds for which an attempt keeps its place */
export function createPlaces(size: number, patience: number): Places {
  const waiting: (() => void)[] = [];
  let used = 0;
  let beside = 0;

  const free = () => (beside < BESIDE * size ? size - used : 0);
  function next(): void {
    while (free() > 0 && waiting.length > 0) {
      used += 1;
      waiting.shift()?.();
    }
  }
  function giveBack(places: number): void {
    used -= places;
    next();
  }

  return {
    get free() {
      return free();
    },
    take() {
      return new Promise((taken) => {
        waiting.push(taken);
        next();
      });
    },
    takeMore(wanted) {
      const places = Math.max(0, Math.min(wanted, free()));
      used += places;
      return places;
    },
    giveBack,
    async hold(attempt, onLate) {
      let isBeside = false;
      const timer = setTimeout(() => {
        isBeside = true;
        beside += 1;
        onLate?.();
        giveBack(1);
      }, patience);
      try {
        await attempt();
      } finally {
        clearTimeout(timer);
        if (isBeside) beside -= 1;
        else used -= 1;
        next();
      }
    },
  };
}
