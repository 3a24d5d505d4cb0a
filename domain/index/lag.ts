/** Blocks that the index may be behind and still count as caught up. */
const ALLOWED_LAG = 5;

type Index = { blockNumber: number; headNumber: number; headSeenAt: Date; haltedReason: string | undefined };

/** Why an index is not caught up with its chain, in a sentence; undefined where it is. */
export function lagProblem(index: Index, pollInterval: number, now: number): string | undefined {
  if (index.haltedReason !== undefined) return `The indexer has stopped: ${index.haltedReason}`;
  const silence = now - index.headSeenAt.getTime();
  if (silence > Math.max(30_000, 5 * pollInterval)) {
    return `The indexer has not seen the chain's head for ${Math.round(silence / 1000)} s.`;
  }
  const lag = index.headNumber - index.blockNumber;
  if (lag < -ALLOWED_LAG) return `The node is ${-lag} blocks behind the index.`;
  return lag > ALLOWED_LAG ? `The index is ${lag} blocks behind the chain.` : undefined;
}
