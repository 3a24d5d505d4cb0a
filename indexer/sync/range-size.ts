const largest = 5_000;
/** Small, because nothing is known yet of how much a block holds; it doubles from one range to the next. */
const first = 10;
/** Logs in a range: enough that the cost of a call does not count, few enough that reading them holds up nothing. */
const wishedLogs = 1_500;
/** Bytes of data in a range: what that many logs of usual size have, and some. */
const wishedBytes = 4 * 1024 * 1024;
/** Ranges that are read before a size that was refused is tried again: so many, and twice as many each time. */
const [firstPatience, longestPatience] = [8, 1_024];
/** Part by which it grows after the first range that is read again; twice that after the next. */
const slowest = 0.02;
/** From so few blocks on up it costs little to be refused once more. */
const few = 16;

/**
 * How many blocks to ask for at once. It follows what blocks hold, and stays below what the provider refused:
 * half of that at first, then feeling its way up again.
 */
export function createRangeSize() {
  let size = first;
  let ceiling = largest;
  /** The smallest range that was refused lately. */
  let refused: number | undefined;
  let growth = slowest;
  let patience = firstPatience;
  let sinceRefusal = 0;

  return {
    now: () => size,
    succeeded(blocks: number, { logs, bytes }: { logs: number; bytes: number }): void {
      sinceRefusal += 1;
      if (refused !== undefined && blocks >= refused) {
        // What was too much there may be little here.
        refused = undefined;
        patience = firstPatience;
      }
      const most = refused === undefined || sinceRefusal > patience ? largest : refused - 1;
      if (ceiling < largest) {
        ceiling = Math.max(1, Math.min(most, ceiling + Math.ceil(ceiling * (ceiling < few ? 0.5 : growth))));
        growth = Math.min(0.5, 2 * growth);
      }
      const fullness = Math.max(logs / wishedLogs, bytes / wishedBytes);
      const fitting = fullness === 0 ? largest : Math.round(blocks / fullness);
      size = Math.max(1, Math.min(ceiling, fitting, Math.max(size, blocks) * 2));
    },
    /**
     * @param blocks of a range that was refused though smaller ones are answered
     * @param allowed what the provider says that it allows
     */
    failed(blocks: number, allowed?: number): void {
      if (refused !== undefined && blocks <= refused && sinceRefusal > patience) {
        patience = Math.min(longestPatience, patience * 2);
      }
      if (blocks > 1) refused = Math.min(blocks, refused ?? blocks);
      sinceRefusal = 0;
      growth = slowest;
      const half = Math.max(1, Math.floor(blocks / 2));
      const limit = allowed !== undefined && allowed >= 1 && allowed < blocks ? allowed : half;
      ceiling = Math.min(ceiling, limit);
      size = Math.min(size, ceiling);
    },
  };
}
