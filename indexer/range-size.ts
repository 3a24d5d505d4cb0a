const largest = 5_000;
/** Small, because nothing is known yet of how much a block holds; it doubles from one range to the next. */
const first = 10;
/** Logs in a range: enough that the cost of a call does not count, few enough that reading them holds up nothing. */
const wishedLogs = 1_500;

/**
 * How many blocks to ask for at once. It follows what blocks hold, and stays below what the provider refused:
 * half of that at first, then feeling its way up again.
 */
export function createRangeSize() {
  let size = first;
  let ceiling = largest;

  return {
    now: () => size,
    succeeded(blocks: number, logs: number): void {
      if (ceiling < largest) ceiling = Math.min(largest, ceiling + Math.ceil(ceiling / 50));
      const fitting = logs === 0 ? largest : Math.round((blocks * wishedLogs) / logs);
      size = Math.max(1, Math.min(ceiling, fitting, Math.max(size, blocks) * 2));
    },
    failed(blocks: number): void {
      ceiling = Math.max(1, Math.floor(blocks / 2));
      size = Math.min(size, ceiling);
    },
  };
}
