import type { Database } from "../core/pool.ts";

/** How many logs of the registry are no event of its interface. */
export async function countUndecoded(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>("select count(*) as count from chain.undecoded_logs");
  return rows[0]?.count ?? 0;
}
