import type { Database } from "../core/pool.ts";

/** A failing task of the indexer. */
export type IndexerWait = {
  /** Such as "following the chain". */
  work: string;
  /** The reason in one word. */
  reason: string;
  /** A message that may be shown to everybody. */
  problem: string;
  /** Host of the provider at fault. */
  provider: string | undefined;
  since: Date;
};

/** Stores why a task fails; the time since when is kept. */
export async function recordWait(db: Database, wait: Omit<IndexerWait, "since">): Promise<void> {
  await db.query(
    `insert into service.indexer_waits (work, reason, problem, provider) values ($1, $2, $3, $4)
     on conflict (work) do update set reason = excluded.reason, problem = excluded.problem,
       provider = excluded.provider, noted_at = now()`,
    [wait.work, wait.reason, wait.problem, wait.provider ?? null],
  );
}

/** Stores that a task has recovered. */
export async function endWait(db: Database, work: string): Promise<void> {
  await db.query("delete from service.indexer_waits where work = $1", [work]);
}

/** @returns the waits, longest first, without those of a process that has stopped updating them */
export async function readWaits(db: Database): Promise<IndexerWait[]> {
  const { rows } = await db.query<Omit<IndexerWait, "provider"> & { provider: string | null }>(
    `select work, reason, problem, provider, since from service.indexer_waits
     where noted_at > now() - interval '6 minutes' order by since, work limit 20`,
  );
  return rows.map(({ provider, ...wait }) => ({ ...wait, provider: provider ?? undefined }));
}
