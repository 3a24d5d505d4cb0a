const largest = 5_000;
/** Initial size in blocks, small because their contents are unknown; it doubles from range to range. */
const first = 10;
/** Target logs of a range: enough to amortise a call, few enough to decode without blocking. */
const wishedLogs = 1_500;
/** Target bytes of data of a range. */
const wishedBytes = 4 * 1024 * 1024;
/** Ranges until a rejected size is tried again; doubles each time. */
const [firstPatience, longestPatience] = [8, 1_024];
/** Growth after the first successful range; doubles after the next. */
const slowest = 0.02;
/** Size below which another rejection is cheap. */
const few = 16;

/**
 * Adapts the number of blocks of a range to their contents, and to sizes that the provider rejected: half of those at
 * first, then growing slowly.
 */
export function createRangeSize() {
  let size = first;
  let ceiling = largest;
  /** The smallest recently rejected range. */
  let rejected: number | undefined;
  let growth = slowest;
  let patience = firstPatience;
  let sinceRejection = 0;

  return {
    now: () => size,
    succeeded(blocks: number, { logs, bytes }: { logs: number; bytes: number }): void {
      sinceRejection += 1;
      if (rejected !== undefined && blocks >= rejected) {
        // The rejected range may have been fuller.
        rejected = undefined;
        patience = firstPatience;
      }
      const most = rejected === undefined || sinceRejection > patience ? largest : rejected - 1;
      if (ceiling < largest) {
        ceiling = Math.max(1, Math.min(most, ceiling + Math.ceil(ceiling * (ceiling < few ? 0.5 : growth))));
        growth = Math.min(0.5, 2 * growth);
      }
      const fullness = Math.max(logs / wishedLogs, bytes / wishedBytes);
      const fitting = fullness === 0 ? largest : Math.round(blocks / fullness);
      size = Math.max(1, Math.min(ceiling, fitting, Math.max(size, blocks) * 2));
    },
    /**
     * @param blocks of a range that was rejected though smaller ones are answered
     * @param allowed the limit that the provider names
     */
    failed(blocks: number, allowed?: number): void {
      if (rejected !== undefined && blocks <= rejected && sinceRejection > patience) {
        patience = Math.min(longestPatience, patience * 2);
      }
      if (blocks > 1) rejected = Math.min(blocks, rejected ?? blocks);
      sinceRejection = 0;
      growth = slowest;
      const half = Math.max(1, Math.floor(blocks / 2));
      const limit = allowed !== undefined && allowed >= 1 && allowed < blocks ? allowed : half;
      ceiling = Math.min(ceiling, limit);
      size = Math.min(size, ceiling);
    },
  };
}
