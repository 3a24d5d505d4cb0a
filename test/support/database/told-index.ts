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

const toldStates = `
  select request_id as request, array_agg(substr(kind, 9) || coalesce(' ' || reason, '') order by sequence) as states
  from service.events where request_id is not null group by request_id`;

const storedStates = `
  select request_id as request, array_agg(state || coalesce(' ' || reason, '') order by ordinal) as states
  from service.history group by request_id`;

async function differences(db: Database, told: string, stored: string): Promise<string[]> {
  const lines = async (sql: string) =>
    new Set((await db.query<Record<string, unknown>>(sql)).rows.map((row) => JSON.stringify(row)));
  const [events, rows] = [await lines(told), await lines(stored)];
  return [
    ...[...events].filter((line) => !rows.has(line)).map((line) => `told, but not so: ${line}`),
    ...[...rows].filter((line) => !events.has(line)).map((line) => `so, but not told: ${line}`),
  ];
}

/**
 * Where the events, each taken in turn, do not lead to what is stored: those of the chain to what the index holds, those
 * of requests to their histories. Of an index that began with an initial sync, the first is no use.
 */
export async function toldOtherwise(db: Database): Promise<string[]> {
  return [
    ...(await differences(db, standing, indexed)),
    ...(await differences(db, toldStates, storedStates)),
    ...(await gaps(db)),
  ];
}

async function gaps(db: Database): Promise<string[]> {
  await db.query("select service.number_events()");
  const { rows } = await db.query<{ sequence: number }>(
    `select sequence from (
       select sequence, lag(sequence, 1, 0::bigint) over (order by sequence) as before from service.events) numbered
     where sequence is distinct from before + 1`,
  );
  return rows.map(({ sequence }) => `a gap in the sequence before ${sequence}`);
}

export async function expectToldAsItIs(db: Database): Promise<void> {
  expect(await toldOtherwise(db)).to.deep.equal([]);
}
