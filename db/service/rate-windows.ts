import type { Database } from "../core/pool.ts";

/** Uses of a rate limit by one caller that are not shared with the other processes yet. */
export type Uses = { subject: string; uses: number; windowSeconds: number };

/** Uses of all processes in the window, and its end. */
export type SharedUses = { used: number; endsInMs: number };

/**
 * Adds uses to the callers' windows, and starts a new window where the last has ended, by the database's clock. The
 * subjects must differ.
 * @returns the windows, in the order given
 */
export async function addUses(db: Database, all: readonly Uses[]): Promise<SharedUses[]> {
  const { rows } = await db.query<SharedUses & { subject: string }>(
    // In one order for all processes, against deadlocks.
    `insert into service.rate_windows as known (subject, used, ends_at)
     select subject, used, clock_timestamp() + seconds * interval '1 second'
     from unnest($1::text[], $2::bigint[], $3::int[]) as added (subject, used, seconds) order by subject
     on conflict (subject) do update set
       used = excluded.used + case when known.ends_at > clock_timestamp() then known.used else 0 end,
       ends_at = case when known.ends_at > clock_timestamp() then known.ends_at else excluded.ends_at end
     returning subject, used,
       ceil(greatest(0, extract(epoch from ends_at - clock_timestamp())) * 1000)::int as "endsInMs"`,
    [
      all.map(({ subject }) => subject),
      all.map(({ uses }) => uses),
      all.map(({ windowSeconds }) => windowSeconds),
    ],
  );
  const found = new Map(rows.map(({ subject, ...shared }) => [subject, shared]));
  return all.map(({ subject, uses, windowSeconds }) => {
    return found.get(subject) ?? { used: uses, endsInMs: windowSeconds * 1000 };
  });
}

/** Deletes a batch of ended windows. @returns how many */
export async function removeEndedWindows(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.rate_windows where subject in (
       select subject from service.rate_windows where ends_at < now()
       order by ends_at limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}
