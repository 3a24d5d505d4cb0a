import type { Database } from "../core/pool.ts";

/** Uses of a rate limit by one caller that this process has not told the others of. */
export type Uses = { subject: string; uses: number; windowSeconds: number };

/** What all processes together have used in the window, and when it ends. */
export type SharedUses = { used: number; endsInMs: number };

/**
 * Adds uses to the callers' windows, and begins a new one where the last has ended; the database's clock is the
 * only one that counts. The subjects must differ.
 * @returns where each caller is then, in the order of what was given
 */
export async function addUses(db: Database, all: readonly Uses[]): Promise<SharedUses[]> {
  const { rows } = await db.query<SharedUses & { subject: string }>(
    // In one order for all processes, so that no two wait for each other's rows.
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

/** Removes windows that have ended, some at a time. @returns how many */
export async function removeEndedWindows(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.rate_windows where subject in (
       select subject from service.rate_windows where ends_at < now()
       order by ends_at limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}
