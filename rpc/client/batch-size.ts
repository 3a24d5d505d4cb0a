/** Largest batch; nodes reject more than some hundreds. */
const largest = 100;
/** Full batches until a larger one is tried. */
const fullBatches = 8;
/** Milliseconds for which a rejected size is not tried again. */
const rememberMs = 600_000;

/**
 * Adapts the batch size to what the node accepts: half of a rejected size, then slowly up again, below the sizes that were
 * rejected recently.
 */
export function createBatchSize(now: () => number = Date.now) {
  let size = largest;
  let rejected = { size: largest + 1, at: Number.NEGATIVE_INFINITY };
  let full = 0;

  return {
    now: () => size,
    /** @param calls number of calls of a rejected batch, whose calls succeeded in smaller ones */
    failed(calls: number): void {
      size = Math.max(1, Math.min(size, Math.floor(calls / 2)));
      if (calls < rejected.size || now() - rejected.at > rememberMs) rejected = { size: calls, at: now() };
      full = 0;
    },
    succeeded(calls: number): void {
      if (calls < size || size === largest) return;
      full += 1;
      if (full < fullBatches) return;
      full = 0;
      const most = now() - rejected.at > rememberMs ? largest : Math.min(largest, rejected.size - 1);
      size = Math.max(size, Math.min(most, Math.ceil(size * 1.25)));
    },
  };
}
