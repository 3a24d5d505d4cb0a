import type { Database } from "../../core/pool.ts";

/**
 * Deletes a batch of events older than `days`, but never the newest, which the next is numbered after. An older one behind
 * one that is kept is kept too: readers find no gap. @returns how many
 */
export async function removeOldEvents(db: Database, most: number, days: number): Promise<number> {
  const { rowCount } = await db.query(
    `with oldest as (
       select sequence, at < now() - make_interval(days => $2) as is_old
       from service.events where sequence is not null order by sequence limit $1)
     delete from service.events where sequence = any(array(
       select sequence from oldest where is_old and sequence < all (select sequence from oldest where not is_old)))
     and sequence < (select max(sequence) from service.events)`,
    [most, days],
  );
  return rowCount ?? 0;
}
