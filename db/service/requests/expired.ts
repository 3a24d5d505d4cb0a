import type { Database } from "../../core/pool.ts";
import { hasExpired } from "./conditions.ts";

/** Where a sweep over what has expired goes on; to the microsecond, which a Date is not. */
export type Expired = { id: string; expiresAt: string };

/**
 * Open requests that have run out of time, in that order, some at a time: they may be very many that expire
 * together. One that its author has answered does not count.
 */
export async function requestsExpired(
  db: Database,
  most: number,
  after: Expired | undefined,
): Promise<Expired[]> {
  const { rows } = await db.query<Expired>(
    `select id, expires_at::text as "expiresAt" from service.requests request
     where ${hasExpired("request")}
       and (expires_at, id) > (coalesce($2::timestamptz, '-infinity'), coalesce($3::uuid, $4::uuid))
     order by expires_at, id limit $1`,
    [most, after?.expiresAt, after?.id, "00000000-0000-0000-0000-000000000000"],
  );
  return rows;
}
