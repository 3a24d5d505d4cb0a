/** Seconds after the first failure; twice as long after each further one. */
const FIRST_WAIT = 5;
const LONGEST_WAIT = 4 * 3_600;

/** Milliseconds for which a delivery is tried. */
const LIFETIME = 3 * 24 * 3_600_000;

/** From half of a wait to all of it, so that receivers are not asked by everybody at the same moment. */
export function jitter(random: () => number = Math.random): number {
  return 0.5 + random() / 2;
}

/** Seconds until a delivery is tried again after its nth failure. */
export function waitAfter(failures: number, random?: () => number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(failures - 1, 20)) * jitter(random);
}

/** Whether a delivery has failed for so long that its webhook is paused. */
export function isOver(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= LIFETIME;
}
