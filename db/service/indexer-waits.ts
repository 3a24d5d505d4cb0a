import type { Database } from "../core/pool.ts";

/** What keeps a work of the indexer from coming on. */
export type IndexerWait = {
  /** Such as "following the chain". */
  work: string;
  /** In one word. */
  reason: string;
  /** In a sentence that may be shown to everybody. */
  problem: string;
  /** Host of the provider that is to blame. */
  provider: string | undefined;
  since: Date;
};

/** Notes what a work waits for; since when stays as it was. */
export async function noteWait(db: Database, wait: Omit<IndexerWait, "since">): Promise<void> {
  await db.query(
    `insert into service.indexer_waits (work, reason, problem, provider) values ($1, $2, $3, $4)
     on conflict (work) do update set reason = excluded.reason, problem = excluded.problem,
       provider = excluded.provider, noted_at = now()`,
    [wait.work, wait.reason, wait.problem, wait.provider ?? null],
  );
}

/** Notes that a work comes on again. */
export async function endWait(db: Database, work: string): Promise<void> {
  await db.query("delete from service.indexer_waits where work = $1", [work]);
}

/** @returns the longest wait first; not those of a process that has said nothing for longer than any rest lasts */
export async function readWaits(db: Database): Promise<IndexerWait[]> {
  const { rows } = await db.query<Omit<IndexerWait, "provider"> & { provider: string | null }>(
    `select work, reason, problem, provider, since from service.indexer_waits
     where noted_at > now() - interval '6 minutes' order by since, work limit 20`,
  );
  return rows.map(({ provider, ...wait }) => ({ ...wait, provider: provider ?? undefined }));
}
