import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import { findRequests, lockRequests, takeUp } from "./requests.ts";
import { ask, statement } from "./statement.ts";

export type SignedTransaction = { hash: Hash; raw: Hex; nonce: number; description: string | undefined };

/** Stores a signed transaction for the indexer to send. The same one again changes nothing. */
export async function storeSigned(
  tx: Transaction,
  requestId: string,
  signed: SignedTransaction,
): Promise<void> {
  const { hash, raw, nonce, description } = signed;
  await ask(tx, store, [toBytes(hash), requestId, toBytes(raw), nonce, description ?? null]);
}

const store = statement(`
  insert into service.transactions (hash, request_id, raw, nonce, description)
  values ($1, $2, $3, $4, $5)
  on conflict (hash, request_id) do update set raw = coalesce(service.transactions.raw, excluded.raw),
    nonce = coalesce(service.transactions.nonce, excluded.nonce)`);

/**
 * Ties the transactions that made whole changes to their requests, so that they are known should a reorg
 * remove them.
 */
export async function tieTransactions(tx: Transaction, requestIds: readonly string[]): Promise<void> {
  await lockRequests(tx, requestIds);
  const made = (await findRequests(tx, requestIds)).flatMap(({ id, facts, transactionHash }) =>
    facts.effect === undefined || transactionHash === undefined ? [] : [{ id, hash: transactionHash }],
  );
  await tx.query(
    `insert into service.transactions (hash, request_id, accepted_at)
     select hash, request_id, now() from unnest($1::bytea[], $2::uuid[]) as made (hash, request_id)
     on conflict (hash, request_id) do update
       set accepted_at = coalesce(service.transactions.accepted_at, now()), hopeless = null`,
    [made.map(({ hash }) => toBytes(hash)), made.map(({ id }) => id)],
  );
  await takeUp(
    tx,
    made.map(({ id }) => id),
  );
}

/** Accounts and hashes whose fate the chain decides: transactions of unsettled requests without an effect noted. */
export async function transactionsUnderWay(
  db: Database,
): Promise<{ hash: Hash; requestId: string; author: Address; nonce: number | undefined }[]> {
  const { rows } = await db.query<{ hash: Buffer; request_id: string; author: Buffer; nonce: number | null }>(
    `select sent.hash, sent.request_id, request.author, sent.nonce
     from service.transactions sent join service.requests request on request.id = sent.request_id
     where not request.settled
       and not exists (select from chain.reverts revert where revert.transaction_hash = sent.hash)
       and not exists (select from chain.assets asset where asset.transaction_hash = sent.hash)
       and not exists (select from chain.links link
         where link.parent = request.asset_id
           and (sent.hash = link.transaction_hash
             or link.revoked_block is not null and sent.hash = link.revoked_transaction_hash))`,
  );
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    author: addressFromBytes(row.author),
    nonce: row.nonce ?? undefined,
  }));
}

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

/** Stores the nonce of an account at the end of a block, where it differs from the newest stored one. */
export async function insertNonce(
  tx: Transaction,
  address: Address,
  blockNumber: number,
  nonce: number,
): Promise<void> {
  await tx.query(
    `insert into chain.nonces (address, block_number, nonce)
     select $1, $2, $3
     where $3 is distinct from (
       select nonce from chain.nonces where address = $1 order by block_number desc limit 1)
     on conflict do nothing`,
    [toBytes(address), blockNumber, nonce],
  );
}

/** Looks at the transactions of these requests at once: a reorg may have thrown them away. */
export async function lookAgain(tx: Transaction, requestIds: readonly string[]): Promise<void> {
  await tx.query(
    `update service.transactions set next_look_at = now(), missing_since = null
     where request_id = any($1::uuid[])`,
    [requestIds],
  );
}
