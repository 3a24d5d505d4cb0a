import type { Database } from "../../core/pool.ts";

/** Whether there is any request. */
export async function hasRequests(db: Database): Promise<boolean> {
  const { rows } = await db.query<{ any: boolean }>('select exists (select from service.requests) as "any"');
  return rows[0]?.any === true;
}

/** Number of unsettled requests. */
export async function countOpenRequests(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*) as count from service.requests where not settled",
  );
  return rows[0]?.count ?? 0;
}

/**
 * Number of a tenant's requests that are stored as unanswered, at most `most`. One whose time is over counts until the
 * indexer has stored that.
 */
export async function countUnanswered(db: Database, tenant: string, most: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select from service.requests where tenant = $1 and noted_state = 'Received' limit $2) open`,
    [tenant, most],
  );
  return rows[0]?.count ?? 0;
}
