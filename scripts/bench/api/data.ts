import pg from "pg";
import type { Address, Hex } from "viem";
import { migrate } from "../../../db/core/migrate.ts";
import { digestBytes } from "../../../db/core/search-keys.ts";

/** Samples of a filled index to request. */
export type BenchIndex = {
  assets: Hex[];
  authors: Hex[];
  hashes: string[];
  /** The asset that a tenth of all others point to, at most 100,000. */
  target: Hex;
};

/** Changes with what is generated, so that an older database is not used by mistake. */
export const layout = 3;
export const registryAddress: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

const linksOfAsset = 5;
const assetsInBlock = 50;
/** Every fourth asset was requested through the service; the others were created without it. */
const requested = 4;

/** How far a child is from its parent in the order of creation, link by link: different for each. */
const strides = [1, 7_919, 104_729, 15_485_863, 32_452_843];

/** Deterministic ids. They are not digests of the contents, which only the indexer checks. */
const assetId = (number: string) => `sha256(('asset ' || ${number})::bytea)`;
const author = (number: string) => `substr(sha256(('author ' || ${number} % $1 / 100)::bytea), 1, 20)`;
const transaction = (number: string) => `sha256(('transaction ' || ${number})::bytea)`;

/** Fills an empty, migrated database with assets of about 500 bytes of text and five links each. */
export async function fillIndex(url: string, assets: number, tenant: string): Promise<void> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Without the checks of foreign keys, row by row, and without anybody who reads.
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    await client.query("set maintenance_work_mem = '512MB'; set work_mem = '256MB'");
    const blocks = Math.ceil(assets / assetsInBlock) * 2;
    await client.query(insertBlocks, [blocks]);
    const restore = await dropIndexes(client, ["chain.assets", "chain.links"]);
    await client.query(insertAssets, [assets]);
    await client.query(insertTarget);
    await client.query(insertLinks, [assets, strides.map((stride) => stride % assets), blocks / 2]);
    await client.query(insertIncoming, [assets, incomingOf(assets), blocks]);
    const registry = Buffer.from(registryAddress.slice(2), "hex");
    await client.query(insertRequests, [tenant, registry]);
    await client.query(insertHistory);
    await restore();
    await client.query(
      `insert into chain.cursor (chain_id, registry, start_block, block_number, block_hash, final_number,
         confirmations, head_number)
       select 31337, $1, 1, number, hash, number - 5, 5, number from chain.blocks order by number desc limit 1`,
      [registry],
    );
    await client.query("vacuum analyze");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

const incomingOf = (assets: number) => Math.min(100_000, Math.floor(assets / 10));

const insertBlocks = `
  insert into chain.blocks (number, hash, parent_hash, timestamp)
  select n, sha256(('block ' || n)::bytea), sha256(('block ' || n - 1)::bytea), 1700000000 + n * 12
  from generate_series(1, $1::int) n`;

const insertAssets = `
  insert into chain.assets (id, author, salt, content_hash, name, data, file_name, file_type, file_size, method,
    hash, uri, name_key, file_digest, block_number, transaction_index, log_index, transaction_hash)
  select ${assetId("n")}, ${author("n")}, sha256(('salt ' || n)::bytea), sha256(('content ' || n)::bytea),
    'Purchase contract ' || n,
    '{"number":' || n || ',"note":"' || repeat('Signed by both parties, version ' || md5(n::text) || '. ', 1 + n % 4)
      || '","tags":["pdf","signed"]}',
    'document-' || n || '.pdf', 'pdf', (n * 37 % 5000000)::text, 'SHA2-256',
    encode(sha256(('file ' || n)::bytea), 'hex'),
    'https://files.example.org/registry/2026/' || md5('uri ' || n) || '/document-' || n || '.pdf',
    'purchase contract ' || n,
    substr(sha256(('sha256:' || encode(sha256(('file ' || n)::bytea), 'hex'))::bytea), 1, ${digestBytes}),
    1 + (n - 1) / ${assetsInBlock}, (n - 1) % ${assetsInBlock}, (n - 1) % ${assetsInBlock}, ${transaction("n")}
  from generate_series(1, $1::int) n`;

const target = assetId("'everybody''s target'");

const insertTarget = `
  insert into chain.assets
  select (jsonb_populate_record(asset, jsonb_build_object('id', ${target}))).*
  from chain.assets asset where id = ${assetId("1")}`;

/** In blocks behind those of the assets; one link in ten has been revoked. */
const insertLinks = `
  insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash,
    revoked_block, revoked_transaction_index, revoked_log_index, revoked_transaction_hash)
  select ${assetId("n")}, ${assetId("(1 + (n - 1 + stride::bigint) % $1)")}, 1,
    $3::int + 1 + (n - 1) / ${assetsInBlock}, (n - 1) % ${assetsInBlock},
    (n - 1) % ${assetsInBlock} * ${linksOfAsset} + k - 1, ${transaction("'link ' || n")},
    gone, gone * 0, gone * 0, case when gone is not null then ${transaction("'revoke ' || n")} end
  from generate_series(1, $1::int) n
  cross join unnest($2::int[]) with ordinality as link (stride, k)
  cross join lateral (select case when (n + k) % 10 = 0 then $3::int * 2 end as gone) revoked`;

const insertIncoming = `
  insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
  select ${assetId("n")}, ${target}, 1, $3::int, n, n, ${transaction("'target ' || n")}
  from generate_series(1, $1::int, $1::int / $2::int) n limit $2`;

const insertRequests = `
  insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt, details,
    content_hash, created_at, expires_at, settled, noted_state)
  select gen_random_uuid(), $1, 'create', author, id, 31337, $2, decode(repeat(md5(name), 40), 'hex'), salt,
    jsonb_build_object('name', name, 'data', data, 'fileName', file_name, 'fileType', file_type,
      'fileSize', file_size, 'method', method, 'hash', hash, 'uri', uri),
    content_hash, now(), now() + interval '7 days', true, 'Confirmed'
  from chain.assets where log_index % ${requested} = 0`;

const insertHistory = `
  insert into service.history (request_id, ordinal, state, transaction_hash, block_number)
  select request.id, ordinal, state, case when ordinal > 2 then asset.transaction_hash end,
    case when ordinal > 3 then asset.block_number end
  from service.requests request join chain.assets asset on asset.id = request.asset_id
  cross join unnest(array['Received', 'TxSignatureSubmitted', 'Submitted', 'Committed', 'Confirmed'])
    with ordinality as noted (state, ordinal)`;

type Restore = () => Promise<void>;

/** Rows that come in no order fill an index far slower than one that is built over all of them at once. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<Restore> {
  const again: string[] = [];
  for (const table of tables) {
    const { rows: keys } = await client.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
       where conrelid = $1::regclass and contype = 'p'`,
      [table],
    );
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = $1::regclass and not indisprimary`,
      [table],
    );
    for (const { name, definition } of keys) {
      await client.query(`alter table ${table} drop constraint ${name}`);
      again.push(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const { name, definition } of indexes) {
      await client.query(`drop index ${name}`);
      again.push(definition);
    }
  }
  return async () => {
    for (const statement of again) await client.query(statement);
  };
}

/** Picks the samples: spread over the whole index, deterministic. */
export async function sampleIndex(url: string, assets: number, samples: number): Promise<BenchIndex> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; author: string; hash: string }>(
      `select '0x' || encode(id, 'hex') as id, '0x' || encode(author, 'hex') as author, hash
       from generate_series(1, $1::int, greatest(1, $1::int / $2::int)) n join chain.assets on id = ${assetId("n")}
       order by sha256(id) limit $2`,
      [assets, samples],
    );
    const { rows: targets } = await client.query<{ id: string }>(
      `select '0x' || encode(${target}, 'hex') as id`,
    );
    return {
      assets: rows.map(({ id }) => id as Hex),
      authors: rows.map((row) => row.author as Hex),
      hashes: rows.map(({ hash }) => hash),
      target: targets[0]?.id as Hex,
    };
  } finally {
    await client.end();
  }
}
