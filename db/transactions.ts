import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import { lockRequest, lockRequests } from "./requests.ts";

export type SignedTransaction = { hash: Hash; raw: Hex; nonce: number; description: string | undefined };

/** Stores a signed transaction for the indexer to send. The same one again changes nothing. */
export async function storeSigned(
  tx: Transaction,
  requestId: string,
  signed: SignedTransaction,
): Promise<void> {
  await tx.query(
    `insert into service.transactions (hash, request_id, raw, nonce, description)
     values ($1, $2, $3, $4, $5)
     on conflict (hash) do update set raw = coalesce(service.transactions.raw, excluded.raw),
       nonce = coalesce(service.transactions.nonce, excluded.nonce)`,
    [toBytes(signed.hash), requestId, toBytes(signed.raw), signed.nonce, signed.description ?? null],
  );
}

/** The request that this transaction is stored for. */
export async function requestOfTransaction(db: Database, hash: Hash): Promise<string | undefined> {
  const { rows } = await db.query<{ request_id: string }>(
    "select request_id from service.transactions where hash = $1",
    [toBytes(hash)],
  );
  return rows[0]?.request_id;
}

export async function storeHint(tx: Transaction, requestId: string, hash: Hash): Promise<void> {
  await tx.query(
    `insert into service.transaction_hints (request_id, hash) values ($1, $2) on conflict do nothing`,
    [requestId, toBytes(hash)],
  );
}

/** A transaction to look after: send it, or see that the node still has it. */
export type WatchedTransaction = {
  hash: Hash;
  requestId: string;
  raw: Hex | undefined;
  nonce: number | undefined;
  accepted: boolean;
  looks: number;
  /** Whether the request was refused or given up, so that it must not be sent any more. */
  stopped: boolean;
};

/** Transactions of unsettled requests that are due for a look, most urgent first. */
export async function transactionsDue(db: Database, limit: number): Promise<WatchedTransaction[]> {
  const { rows } = await db.query<{
    hash: Buffer;
    request_id: string;
    raw: Buffer | null;
    nonce: number | null;
    accepted: boolean;
    looks: number;
    stopped: boolean;
  }>(
    `select sent.hash, sent.request_id, sent.raw, sent.nonce, sent.accepted_at is not null as accepted, sent.looks,
       request.refused_at is not null or request.given_up_at is not null as stopped
     from service.transactions sent join service.requests request on request.id = sent.request_id
     where not request.settled and sent.next_look_at <= now()
     order by sent.next_look_at, sent.stored_at, sent.nonce limit $1`,
    [limit],
  );
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    raw: row.raw === null ? undefined : fromBytes(row.raw),
    nonce: row.nonce ?? undefined,
    accepted: row.accepted,
    looks: row.looks,
    stopped: row.stopped,
  }));
}

/** Reported hashes of unsettled requests that no block and no look has tied to their request yet. */
export async function hintsToCheck(
  db: Database,
  limit: number,
): Promise<{ hash: Hash; requestId: string; author: Address; registry: Address; calldata: Hex }[]> {
  const { rows } = await db.query<{
    hash: Buffer;
    request_id: string;
    author: Buffer;
    registry: Buffer;
    calldata: Buffer;
  }>(
    `select hint.hash, hint.request_id, request.author, request.registry, request.calldata
     from service.transaction_hints hint join service.requests request on request.id = hint.request_id
     where not request.settled
       and not exists (select from service.transactions sent where sent.hash = hint.hash)
     order by hint.reported_at desc limit $1`,
    [limit],
  );
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    author: addressFromBytes(row.author),
    registry: addressFromBytes(row.registry),
    calldata: fromBytes(row.calldata),
  }));
}

/** Notes that the node has a transaction, by its answer or because a block holds it. */
export async function noteAccepted(
  tx: Transaction,
  seen: { hash: Hash; requestId: string; nonce: number | undefined; nextLookSeconds: number },
): Promise<void> {
  await lockRequest(tx, seen.requestId);
  await tx.query(
    `insert into service.transactions (hash, request_id, nonce, accepted_at, next_look_at, looks)
     values ($1, $2, $3, now(), now() + make_interval(secs => $4), 1)
     on conflict (hash) do update set accepted_at = coalesce(service.transactions.accepted_at, now()),
       nonce = coalesce(service.transactions.nonce, excluded.nonce),
       next_look_at = excluded.next_look_at, looks = service.transactions.looks + 1, last_problem = null`,
    [toBytes(seen.hash), seen.requestId, seen.nonce ?? null, seen.nextLookSeconds],
  );
}

/** Notes that a look at a transaction came to nothing, and when to look again. */
export async function noteProblem(
  db: Database,
  hash: Hash,
  problem: string | undefined,
  nextLookSeconds: number,
): Promise<void> {
  await db.query(
    `update service.transactions
     set last_problem = $2, looks = looks + 1, next_look_at = now() + make_interval(secs => $3)
     where hash = $1`,
    [toBytes(hash), problem ?? null, nextLookSeconds],
  );
}

/**
 * Ties the transactions that brought these assets or changed these links to their requests, so that they
 * are known should a reorg remove them.
 */
export async function tieTransactions(tx: Transaction, requestIds: readonly string[]): Promise<void> {
  await lockRequests(tx, requestIds);
  await tx.query(
    `insert into service.transactions (hash, request_id, accepted_at)
     select distinct on (made.transaction_hash) made.transaction_hash, made.request_id, now() from (
       select asset.transaction_hash, request.id as request_id
       from service.requests request join chain.assets asset on asset.id = request.asset_id
       where request.kind = 'create' and request.id = any($1::uuid[])
       union all
       select link.transaction_hash, request.id
       from service.requests request
       join service.request_targets target on target.request_id = request.id
       join chain.links link
         on link.parent = request.asset_id and link.child = target.child and link.nth = target.nth
       where request.kind = 'link' and request.id = any($1::uuid[])
       union all
       select link.revoked_transaction_hash, request.id
       from service.requests request
       join service.request_targets target on target.request_id = request.id
       join chain.links link
         on link.parent = request.asset_id and link.child = target.child and link.nth = target.nth
       where request.kind = 'revoke' and link.revoked_block is not null and request.id = any($1::uuid[])
     ) made
     on conflict (hash) do update set accepted_at = coalesce(service.transactions.accepted_at, now())`,
    [requestIds],
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
           and sent.hash in (link.transaction_hash, link.revoked_transaction_hash))`,
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
  await tx.query("update service.transactions set next_look_at = now() where request_id = any($1::uuid[])", [
    requestIds,
  ]);
}
