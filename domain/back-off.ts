/**
 * Seconds to wait after the nth failure in a row: half a second after the first, and twice as long each time.
 * @param longest a longer wait would keep a server that is well again waiting for us
 */
export function backOff(failures: number, longest = 5): number {
  return Math.min(longest, 2 ** Math.min(failures, 10) / 4);
}
