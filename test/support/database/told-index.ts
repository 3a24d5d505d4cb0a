import { expect } from "chai";
import type { Database } from "../../../db/core/pool.ts";

/** What the events leave standing: a line for each asset, link and revocation that was told and not rolled back. */
const standing = `
  with told as (
    select case
        when kind like 'asset.%' then 'asset' when kind like 'link.revo%' then 'revocation' else 'link' end as what,
      asset_id, target_id, block_hash, case when kind like '%rolled_back' then -1 else 1 end as change
    from service.events
    where kind in ('asset.registered', 'asset.rolled_back', 'link.added', 'link.rolled_back', 'link.revoked',
      'link.revocation_rolled_back'))
  select what, encode(asset_id, 'hex') as asset, encode(target_id, 'hex') as target, encode(block_hash, 'hex') as block,
    sum(change)::int as count
  from told group by what, asset_id, target_id, block_hash having sum(change) <> 0`;

const indexed = `
  select 'asset' as what, encode(id, 'hex') as asset, null as target, encode(block.hash, 'hex') as block, 1 as count
  from chain.assets join chain.blocks block on block.number = block_number
  union all
  select 'link', encode(parent, 'hex'), encode(child, 'hex'), encode(block.hash, 'hex'), count(*)::int
  from chain.links join chain.blocks block on block.number = block_number group by parent, child, block.hash
  union all
  select 'revocation', encode(parent, 'hex'), encode(child, 'hex'), encode(block.hash, 'hex'), count(*)::int
  from chain.links join chain.blocks block on block.number = revoked_block group by parent, child, block.hash`;

/** Expects that the events of the chain, each taken in turn, lead to just what the index holds. */
export async function expectToldIndex(db: Database): Promise<void> {
  const lines = async (sql: string) =>
    (await db.query<Record<string, unknown>>(sql)).rows.map((row) => JSON.stringify(row)).sort();
  expect(await lines(standing)).to.deep.equal(await lines(indexed));
}

/** Expects that each request's events are the entries of its history, in their order. */
export async function expectToldHistories(db: Database): Promise<void> {
  const { rows: told } = await db.query(
    `select request_id as id, array_agg(substr(kind, 9) || coalesce(' ' || reason, '') order by sequence) as states
     from service.events where request_id is not null group by request_id order by request_id`,
  );
  const { rows: stored } = await db.query(
    `select request_id as id, array_agg(state || coalesce(' ' || reason, '') order by ordinal) as states
     from service.history group by request_id order by request_id`,
  );
  expect(told).to.deep.equal(stored);
}
