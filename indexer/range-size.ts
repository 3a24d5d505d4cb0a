const largest = 5_000;
/** Small, because nothing is known yet of how much a block holds; it doubles from one range to the next. */
const first = 50;
/** Logs in a range: enough that the cost of a transaction does not count, few enough to stay small in memory. */
const wishedLogs = 5_000;

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
