import type { Database } from "../../core/pool.ts";
import { hasExpired } from "./conditions.ts";

/** Position of a sweep over expired requests, in microseconds, which a Date cannot hold. */
export type Expired = { id: string; expiresAt: string };

/**
 * A batch of expired requests that no author has answered, in the order of expiry.
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
