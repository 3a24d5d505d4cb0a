import { createKeyedQueue } from "../operation/keyed-queue.ts";

/** Milliseconds for which a large page is remembered. */
const LARGE_FOR = 10_000;

/** A page that was read; of a large one `small` says how many entries such as its own a small page has at most. */
type Page = { small: number | undefined };

/**
 * Reads a page of at most so many entries by `work`; where pages of this name were large lately, one that may be large as
 * well waits until no other is read.
 * @throws ApiError TOO_MANY_AT_ONCE where too many pages of the name wait, or one waits too long
 */
export type ListTurns = <Read extends Page>(
  name: string,
  size: number,
  work: () => Promise<Read>,
) => Promise<Read>;

/**
 * Keeps a tenant that asks for pages of the longest texts there are from holding up all others: one such page takes as
 * long as hundreds of usual requests.
 */
export function createListTurns(largeFor = LARGE_FOR): ListTurns {
  const inTurn = createKeyedQueue({ most: 50 });
  /** Names with a large page lately, until when, and the most entries of a page that is small for sure. */
  const large = new Map<string, { until: number; small: number }>();

  function smallFor(name: string): number {
    const lately = large.get(name);
    return lately !== undefined && lately.until > performance.now() ? lately.small : Number.POSITIVE_INFINITY;
  }

  function remember(name: string, small: number): void {
    const now = performance.now();
    const known = { until: now + largeFor, small: Math.min(small, smallFor(name)) };
    for (const [other, { until }] of large) if (until <= now) large.delete(other);
    large.set(name, known);
  }

  return async (name, size, work) => {
    const page = size > smallFor(name) ? await inTurn(name, work) : await work();
    if (page.small !== undefined) remember(name, page.small);
    return page;
  };
}
