import type { Database } from "../core/pool.ts";

/** Adds to counters; a new one begins at 0. */
export async function addToCounters(db: Database, amounts: ReadonlyMap<string, number>): Promise<void> {
  if (amounts.size === 0) return;
  await db.query(
    `insert into service.counters (name, value)
     select * from unnest($1::text[], $2::bigint[])
     on conflict (name) do update set value = service.counters.value + excluded.value`,
    [[...amounts.keys()], [...amounts.values()]],
  );
}

export async function readCounters(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string; value: number }>(
    "select name, value from service.counters",
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}
