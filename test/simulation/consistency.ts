import type { Pool } from "../../db/core/pool.ts";

/**
 * What must hold in every state that the database shows to anybody, however the node lies and whenever the
 * indexer dies. Each statement finds rows that break a rule.
 */
const rules: Record<string, string> = {
  "nothing stands above the cursor": `
    select 'block ' || number as problem from chain.blocks, chain.cursor where number > block_number`,
  "the cursor stands on a block of the index": `
    select 'block ' || block_number as problem from chain.cursor
    where block_hash is not null and not exists (
      select from chain.blocks where number = cursor.block_number and hash = cursor.block_hash)`,
  "blocks that follow each other are linked": `
    select 'block ' || next.number as problem from chain.blocks next
    join chain.blocks before on before.number = next.number - 1 and before.hash <> next.parent_hash`,
  "nothing is final that is not indexed": `
    select 'final ' || final_number as problem from chain.cursor where final_number > block_number`,
  "links of a pair take turns": `
    select encode(parent, 'hex') as problem from chain.links group by parent, child
    having count(*) <> max(nth) or count(*) filter (where revoked_block is null) > 1
      or max(nth) <> coalesce(max(nth) filter (where revoked_block is null), max(nth))`,
  "a link stands on assets": `
    select encode(child, 'hex') as problem from chain.links
    where parent not in (select id from chain.assets) or child not in (select id from chain.assets)`,
  "the newest state of a request is noted once": `
    select request_id::text as problem from (
      select request_id, state, reason, lag(state) over (partition by request_id order by ordinal) as before,
        lag(reason) over (partition by request_id order by ordinal) as reason_before
      from service.history) entries
    where state = before and reason is not distinct from reason_before`,
};

/** The rules that are broken now, all looked at in one snapshot. */
export async function brokenRules(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const problems: string[] = [];
    for (const [rule, sql] of Object.entries(rules)) {
      const { rows } = await client.query<{ problem: string }>(`${sql} limit 3`);
      problems.push(...rows.map(({ problem }) => `${rule}: ${problem}`));
    }
    return problems;
  } finally {
    await client.query("rollback");
    client.release();
  }
}
