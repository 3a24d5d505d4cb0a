import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "../../core/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { findRequestOutlines, lockRequests, type RequestOutline, takeUp } from "../requests/requests.ts";

export type SignedTransaction = { hash: Hash; raw: Hex; nonce: number; description: string | undefined };

/** Stores a signed transaction for the indexer to send. @returns whether that changed anything: not the same again */
export async function storeSigned(
  tx: Transaction,
  requestId: string,
  signed: SignedTransaction,
): Promise<boolean> {
  const { hash, raw, nonce, description } = signed;
  const values = [toBytes(hash), requestId, toBytes(raw), nonce, description ?? null];
  return (await ask(tx, store, values)).length > 0;
}

const store = statement(`
  insert into service.transactions (hash, request_id, raw, nonce, description)
  values ($1, $2, $3, $4, $5)
  on conflict (hash, request_id) do update set raw = coalesce(service.transactions.raw, excluded.raw),
    nonce = coalesce(service.transactions.nonce, excluded.nonce)
    where service.transactions.raw is null or service.transactions.nonce is null
  returning request_id`);

/**
 * Ties the transactions that made whole changes to their requests, so that they are known should a reorg
 * remove them.
 * @returns the requests, locked. What is tied changes the state of none: an effect comes before all else
 */
export async function tieTransactions(
  tx: Transaction,
  requestIds: readonly string[],
): Promise<RequestOutline[]> {
  await lockRequests(tx, requestIds);
  const requests = await findRequestOutlines(tx, requestIds);
  const made = requests.flatMap(({ id, facts, transactionHash }) =>
    facts.effect === undefined || transactionHash === undefined
      ? []
      : [{ id, hash: transactionHash, givenUp: facts.givenUp !== undefined }],
  );
  if (made.length > 0) await ask(tx, tie, [JSON.stringify(made)]);
  const givenUp = made.filter((one) => one.givenUp);
  if (givenUp.length > 0) {
    await takeUp(
      tx,
      givenUp.map(({ id }) => id),
    );
  }
  return requests;
}

const tie = statement(`
  insert into service.transactions as known (hash, request_id, accepted_at)
  select decode(substr(hash, 3), 'hex'), id, now() from json_to_recordset($1::json) as made (id uuid, hash text)
  on conflict (hash, request_id) do update
    set accepted_at = coalesce(known.accepted_at, now()), hopeless = null
    where known.accepted_at is null or known.hopeless is not null`);

/** Accounts and hashes whose fate the chain decides: transactions of unsettled requests without an effect noted. */
export async function transactionsUnderWay(db: Database): Promise<UnderWay[]> {
  const { rows } = await db.query<UnderWayRow>(underWay);
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    tenant: row.tenant,
    author: addressFromBytes(row.author),
    nonce: row.nonce ?? undefined,
  }));
}

export type UnderWay = {
  hash: Hash;
  requestId: string;
  tenant: string;
  author: Address;
  nonce: number | undefined;
};
type UnderWayRow = { hash: Buffer; request_id: string; tenant: string; author: Buffer; nonce: number | null };

// Without a name, as what is due: see `transactionsDue`.
const underWay = `
  select sent.hash, sent.request_id, request.tenant, request.author, sent.nonce
  from (select id, tenant, kind, author, asset_id from service.requests where not settled offset 0) request
  cross join lateral (
    select hash, request_id, nonce from service.transactions where request_id = request.id offset 0) sent
  where not exists (select from chain.reverts revert where revert.transaction_hash = sent.hash offset 0)
    and not exists (
      select from chain.assets asset
      where request.kind = 'create' and asset.id = request.asset_id and asset.transaction_hash = sent.hash
      offset 0)
    and not exists (
      select from chain.links link
      where request.kind <> 'create' and link.parent = request.asset_id
        and (sent.hash = link.transaction_hash
          or link.revoked_block is not null and sent.hash = link.revoked_transaction_hash)
      offset 0)`;

export async function insertRevert(
  tx: Transaction,
  revert: { hash: Hash; blockNumber: number; reason: string },
): Promise<void> {
  await tx.query(
    `insert into chain.reverts (transaction_hash, block_number, reason) values ($1, $2, $3)
     on conflict (transaction_hash) do update set block_number = excluded.block_number, reason = excluded.reason`,
    [toBytes(revert.hash), revert.blockNumber, revert.reason],
  );
}

/** Stores the nonces of accounts at the end of a block, where they differ from the newest stored ones. */
export async function insertNonces(
  tx: Transaction,
  blockNumber: number,
  nonces: ReadonlyMap<Address, number>,
): Promise<void> {
  if (nonces.size === 0) return;
  const seen = [...nonces].map(([address, nonce]) => ({ address, nonce }));
  await ask(tx, storeNonces, [JSON.stringify(seen), blockNumber]);
}

const storeNonces = statement(`
  insert into chain.nonces (address, block_number, nonce)
  select seen.address, $2, seen.nonce
  from (
    select decode(substr(address, 3), 'hex') as address, nonce
    from json_to_recordset($1::json) as seen (address text, nonce bigint)) seen
  where seen.nonce is distinct from (
    select nonce from chain.nonces where address = seen.address order by block_number desc limit 1)
  on conflict do nothing`);

/** Looks at the transactions of these requests at once: a reorg may have thrown them away. */
export async function lookAgain(tx: Transaction, requestIds: readonly string[]): Promise<void> {
  await tx.query(
    `update service.transactions set next_look_at = now(), missing_since = null,
       refused_block = case when accepted_at is null then refused_block end
     where request_id = any($1::uuid[])`,
    [requestIds],
  );
}
