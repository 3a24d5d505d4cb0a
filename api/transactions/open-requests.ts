import type { Database, Transaction } from "../../db/core/pool.ts";
import { countUnanswered } from "../../db/service/requests/counts.ts";
import { ApiError } from "../../domain/errors.ts";

/** Limits open requests by tenant. */
export type OpenRequests = {
  /** Most open requests of one tenant; 0: no limit. */
  most: number;
  /**
   * Counts one more request of the tenant, before it is stored.
   * @throws ApiError TOO_MANY_OPEN_REQUESTS
   */
  addOne(db: Database, tenant: string): Promise<void>;
};

/** Milliseconds for which a count is cached, with the additions of this process. */
const MAX_AGE = 1_000;

/**
 * Counts in the database at most once a second for each tenant, and in memory in between. So several processes may exceed
 * `most` by the requests of a second, and a freed place is noticed as late.
 */
export function createOpenRequests(most: number): OpenRequests {
  const counts = new Map<string, { count: Promise<number>; added: number; at: number }>();
  return {
    most,
    async addOne(db, tenant) {
      if (most === 0) return;
      let known = counts.get(tenant);
      if (known === undefined || performance.now() - known.at > MAX_AGE) {
        known = { count: countUnanswered(db, tenant, most), added: 0, at: performance.now() };
        counts.set(tenant, known);
        known.count.catch(() => counts.delete(tenant));
      }
      const count = await known.count;
      if (count + known.added >= most) throw tooManyOpen(most);
      known.added += 1;
    },
  };
}

/** Counts in the database, for rare requests. @throws ApiError TOO_MANY_OPEN_REQUESTS */
export async function requireOpenRequests(tx: Transaction, tenant: string, most: number): Promise<void> {
  if (most > 0 && (await countUnanswered(tx, tenant, most)) >= most) throw tooManyOpen(most);
}

function tooManyOpen(most: number): ApiError {
  return new ApiError(
    "TOO_MANY_OPEN_REQUESTS",
    `Your tenant has ${most} requests that no author has signed or refused, as many as are allowed.`,
  );
}
