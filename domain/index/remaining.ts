/** Seconds until an index has caught up at this rate; undefined where it has no rate, or stands still. */
export function remainingSeconds(
  lag: number | undefined,
  blocksPerSecond: number | undefined,
): number | undefined {
  if (lag === undefined || blocksPerSecond === undefined || blocksPerSecond <= 0) return undefined;
  return Math.ceil(lag / blocksPerSecond);
}
