import { type Database, inTransaction, type Pool } from "../core/pool.ts";

/** Health of a provider of RPC_URL, as seen by the indexer. */
export type ProviderRow = {
  /** Host of its URL. */
  name: string;
  /** Whether it is in use. */
  inUse: boolean;
  /** Whether it answered its last call; undefined before the first. */
  up: boolean | undefined;
  /** Since when it is up, or is not. */
  since: Date | undefined;
  /** Why it is not up. */
  problem: string | undefined;
  /** Newest block that it reported. */
  headBlock: number | undefined;
  /** Calls answered and failed since the indexer started. */
  answered: number;
  failed: number;
};

/** Most providers that are shown. */
const most = 20;

/** Replaces the stored providers. */
export async function storeProviders(pool: Pool, providers: readonly ProviderRow[]): Promise<void> {
  const shown = providers.slice(0, most);
  await inTransaction(pool, async (tx) => {
    const names = shown.map(({ name }) => name);
    await tx.query("delete from service.providers where name <> all ($1::text[])", [names]);
    await tx.query(
      `insert into service.providers
         (name, place, in_use, up, since, problem, head_block, answered, failed)
       select * from unnest($1::text[], $2::int[], $3::boolean[], $4::boolean[], $5::timestamptz[], $6::text[],
         $7::bigint[], $8::bigint[], $9::bigint[])
       on conflict (name) do update set place = excluded.place, in_use = excluded.in_use, up = excluded.up,
         since = excluded.since, problem = excluded.problem, head_block = excluded.head_block,
         answered = excluded.answered, failed = excluded.failed, noted_at = now()`,
      [
        names,
        shown.map((_, place) => place),
        shown.map(({ inUse }) => inUse),
        shown.map(({ up }) => up ?? null),
        shown.map(({ since }) => since ?? null),
        shown.map(({ problem }) => problem ?? null),
        shown.map(({ headBlock }) => headBlock ?? null),
        shown.map(({ answered }) => answered),
        shown.map(({ failed }) => failed),
      ],
    );
  });
}

/** @returns the providers in the order of RPC_URL, without those that no indexer has updated for several heartbeats */
export async function readProviders(db: Database): Promise<ProviderRow[]> {
  const { rows } = await db.query<{
    name: string;
    in_use: boolean;
    up: boolean | null;
    since: Date | null;
    problem: string | null;
    head_block: number | null;
    answered: number;
    failed: number;
  }>(
    `select name, in_use, up, since, problem, head_block, answered, failed from service.providers
     where noted_at > now() - interval '1 minute' order by place limit ${most}`,
  );
  return rows.map(({ name, in_use, up, since, problem, head_block, answered, failed }) => ({
    name,
    inUse: in_use,
    up: up ?? undefined,
    since: since ?? undefined,
    problem: problem ?? undefined,
    headBlock: head_block ?? undefined,
    answered,
    failed,
  }));
}
