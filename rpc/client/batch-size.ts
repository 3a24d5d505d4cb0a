/** Most calls that travel together; nodes refuse more than some hundreds. */
const largest = 100;
/** Full batches after which a larger one is tried. */
const fullBatches = 8;
/** How long a size that was refused is not tried again. */
const rememberMs = 600_000;

export type BatchSize = ReturnType<typeof createBatchSize>;

/**
 * How many calls may travel together. It follows what the node takes, whatever it says to more: half of what was
 * refused, and then slowly up again, to less than what was refused lately.
 */
export function createBatchSize(now: () => number = Date.now) {
  let size = largest;
  let refused = { size: largest + 1, at: Number.NEGATIVE_INFINITY };
  let full = 0;

  return {
    now: () => size,
    /** @param calls of a batch that was refused, though its calls were answered in smaller ones */
    failed(calls: number): void {
      size = Math.max(1, Math.min(size, Math.floor(calls / 2)));
      if (calls < refused.size || now() - refused.at > rememberMs) refused = { size: calls, at: now() };
      full = 0;
    },
    succeeded(calls: number): void {
      if (calls < size || size === largest) return;
      full += 1;
      if (full < fullBatches) return;
      full = 0;
      const most = now() - refused.at > rememberMs ? largest : Math.min(largest, refused.size - 1);
      size = Math.max(size, Math.min(most, Math.ceil(size * 1.25)));
    },
  };
}
