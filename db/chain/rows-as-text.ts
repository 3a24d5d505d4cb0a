import { inSnapshot, type Pool, type Transaction } from "../core/pool.ts";

/**
 * Reads the rows of schema `chain` as lines of text, by which `index:verify` compares them with the chain: numbers in
 * decimal, bytes as 0x hex, in the order of the columns below.
 */

const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
const text = (column: string): string => `'0x' || encode(convert_to(${column}, 'UTF8'), 'hex')`;
const texts = ["name", "data", "file_name", "file_type", "file_size", "method", "hash", "uri"];

/** Number and hash of the block, position in it, transaction. */
const place = (row: string, prefix = ""): string => {
  const at = (name: string) => `${row}.${prefix}${name}`;
  const number = prefix === "" ? `${row}.block_number` : `${row}.${prefix}block`;
  return `${number}, ${hex("block.hash")}, ${at("transaction_index")}, ${at("log_index")}, ${hex(at("transaction_hash"))}`;
};

/** `raw` replaces the texts where a column cannot hold one exactly. */
export type AssetLine = { head: string; texts: string[]; raw: Buffer | null };

/** The blocks from `from` to `to`, and their rows. */
export async function readLines(
  tx: Transaction,
  from: number,
  to: number,
): Promise<{ assets: AssetLine[]; others: string[]; blocks: { number: number; line: string }[] }> {
  const range = [from, to];
  const assets = await tx.query<AssetLine>(
    `select concat_ws(' ', 'asset', ${place("asset")}, ${hex("id")}, ${hex("author")}, ${hex("salt")},
         ${hex("content_hash")},
         ${text("name_key")}, coalesce(${hex("file_digest")}, '-')) as head,
       array[${texts.map((column) => text(`asset.${column}`))}] as texts, raw_details as raw
     from chain.assets asset join chain.blocks block on block.number = asset.block_number
     where asset.block_number between $1 and $2`,
    range,
  );
  const others = await tx.query<{ line: string }>(
    `select concat_ws(' ', 'link', ${place("link")}, ${hex("parent")}, ${hex("child")}) as line
     from chain.links link join chain.blocks block on block.number = link.block_number
     where link.block_number between $1 and $2
     union all
     select concat_ws(' ', 'revocation', ${place("link", "revoked_")}, ${hex("parent")}, ${hex("child")})
     from chain.links link join chain.blocks block on block.number = link.revoked_block
     where link.revoked_block between $1 and $2
     union all
     select concat_ws(' ', 'cancellation', ${place("voided")}, ${hex("author")}, ${hex("subject")})
     from chain.cancellations voided join chain.blocks block on block.number = voided.block_number
     where voided.block_number between $1 and $2
     union all
     select concat_ws(' ', 'undecoded', block_number, ${hex("block.hash")}, log_index, ${hex("transaction_hash")},
       (select string_agg(${hex("topic")}, ',' order by ordinal)
        from unnest(topics) with ordinality as listed (topic, ordinal)), ${hex("data")})
     from chain.undecoded_logs log join chain.blocks block on block.number = log.block_number
     where log.block_number between $1 and $2`,
    range,
  );
  const blocks = await tx.query<{ number: number; line: string }>(
    `select number, concat_ws(' ', 'block', number, ${hex("hash")}, ${hex("parent_hash")}, timestamp) as line
     from chain.blocks where number between $1 and $2 order by number`,
    range,
  );
  return { assets: assets.rows, others: others.rows.map(({ line }) => line), blocks: blocks.rows };
}

export type NonceRow = { address: string; block: number; blockHash: string; nonce: number };
export type RevertRow = { hash: string; block: number; blockHash: string };

/** Facts that come from no event: reverted transactions, and nonces of accounts. */
export async function readOutcomeRows(
  tx: Transaction,
  from: number,
  to: number,
): Promise<{ nonces: NonceRow[]; reverts: RevertRow[] }> {
  const nonces = await tx.query<NonceRow>(
    `select ${hex("address")} as address, block_number as block, ${hex("block.hash")} as "blockHash", nonce
     from chain.nonces join chain.blocks block on block.number = block_number
     where block_number between $1 and $2 order by block_number, address`,
    [from, to],
  );
  const reverts = await tx.query<RevertRow>(
    `select ${hex("revert.transaction_hash")} as hash, revert.block_number as block, ${hex("block.hash")} as "blockHash"
     from chain.reverts revert join chain.blocks block on block.number = revert.block_number
     where revert.block_number between $1 and $2 order by revert.block_number`,
    [from, to],
  );
  return { nonces: nonces.rows, reverts: reverts.rows };
}

/** Pairs whose links are not numbered 1, 2, 3 … in the order of the chain, each revoked before the next. */
export async function pairsOutOfOrder(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.query<{ line: string }>(
    `select distinct concat_ws(' ', 'pair', ${hex("parent")}, ${hex("child")}) as line from (
       select parent, child, nth, (block_number, log_index) as added, (revoked_block, revoked_log_index) as revoked,
         revoked_block, row_number() over pair as counted,
         lead(block_number) over pair as next_block, lead((block_number, log_index)) over pair as next
       from chain.links window pair as (partition by parent, child order by block_number, log_index)
     ) link
     where nth <> counted or (revoked_block is not null and revoked < added)
       or (next_block is not null and (revoked_block is null or revoked > next))`,
  );
  return rows.map(({ line }) => line);
}

/** Runs `work` on one snapshot of the database, for as long as it takes. */
export function inLongSnapshot<Result>(
  pool: Pool,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return inSnapshot(pool, async (tx) => {
    // Idle between statements while the chain is read.
    await tx.query("set local idle_in_transaction_session_timeout = 0");
    return work(tx);
  });
}
