import { createKeyedQueue } from "../operation/keyed-queue.ts";

/** Milliseconds after a large page for which a tenant's lists are read one after the other. */
const LARGE_FOR = 10_000;

/** Runs `work`, which says how large a page it made; at most one at a time of a tenant whose pages were large lately. */
export type ListTurns = <Page extends { isLarge: boolean }>(
  tenant: string,
  work: () => Promise<Page>,
) => Promise<Page>;

/**
 * Keeps a tenant that asks for pages of the longest texts there are from holding up all others: one such page takes as
 * long as hundreds of usual requests.
 * @throws ApiError DATABASE_UNAVAILABLE where too many of a tenant wait, or one waits too long
 */
export function createListTurns(largeFor = LARGE_FOR): ListTurns {
  const inTurn = createKeyedQueue({ most: 50 });
  /** Tenants with a large page lately, and until when. */
  const large = new Map<string, number>();

  return async (tenant, work) => {
    const page = (large.get(tenant) ?? 0) > performance.now() ? await inTurn(tenant, work) : await work();
    if (page.isLarge) large.set(tenant, performance.now() + largeFor);
    return page;
  };
}
