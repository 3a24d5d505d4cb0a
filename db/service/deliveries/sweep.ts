import type { Database } from "../../core/pool.ts";

/** Days for which the log of deliveries is kept. */
export const DELIVERY_DAYS = 31;

/** Deletes a batch of deliveries that ended long ago, with their attempts. @returns how many */
export async function removeOldDeliveries(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.deliveries where ordinal in (
       select ordinal from service.deliveries where ended_at < now() - interval '${DELIVERY_DAYS} days'
       order by ended_at limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}

/** Deletes a batch of lanes in which nothing waits. @returns how many */
export async function removeEmptyLanes(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.delivery_lanes where (webhook_id, subject) in (
       select webhook_id, subject from service.delivery_lanes
       where waiting = 0 and due_at < now() - interval '1 minute' limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}
