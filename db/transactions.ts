import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import { findRequests, lockRequest, lockRequests } from "./requests.ts";

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
     on conflict (hash, request_id) do update set raw = coalesce(service.transactions.raw, excluded.raw),
       nonce = coalesce(service.transactions.nonce, excluded.nonce)`,
    [toBytes(signed.hash), requestId, toBytes(signed.raw), signed.nonce, signed.description ?? null],
  );
}

/** Whether this transaction is stored for this request. */
export async function isStored(db: Database, requestId: string, hash: Hash): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from service.transactions where hash = $1 and request_id = $2",
    [toBytes(hash), requestId],
  );
  return rowCount === 1;
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
  author: Address;
  /** Whether the request's time to be signed is over; what no node took by then is given up. */
  expired: boolean;
};

/** Transactions of unsettled requests that are due for a look, longest due first. */
export async function transactionsDue(db: Database, limit: number): Promise<WatchedTransaction[]> {
  const { rows } = await db.query<{
    hash: Buffer;
    request_id: string;
    raw: Buffer | null;
    nonce: number | null;
    accepted: boolean;
    looks: number;
    author: Buffer;
    expired: boolean;
  }>(
    `select sent.hash, sent.request_id, sent.raw, sent.nonce, sent.accepted_at is not null as accepted, sent.looks,
       request.author, request.expires_at <= now() as expired
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
    author: addressFromBytes(row.author),
    expired: row.expired,
  }));
}

/**
 * Whether a transaction must not be sent any more because its request was refused or given up. Asked right
 * before it is sent: a refusal may have come since it was read.
 */
export async function isStopped(db: Database, requestId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from service.requests where id = $1 and (refused_at is not null or given_up_at is not null)",
    [requestId],
  );
  return rowCount === 1;
}

/** A reported hash, and the call that it is said to be of. */
export type Hint = { hash: Hash; requestId: string; author: Address; registry: Address; calldata: Hex };

/** Reported hashes of unsettled requests that nothing has tied to their request yet, longest due first. */
export async function hintsToCheck(db: Database, limit: number): Promise<Hint[]> {
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
       and hint.next_look_at <= now()
       and not exists (select from service.transactions sent where sent.hash = hint.hash)
     order by hint.next_look_at limit $1`,
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

/** Notes that the node does not show a reported hash as the generated call; each time it waits twice as long. */
export async function postponeHint(db: Database, requestId: string, hash: Hash): Promise<void> {
  await db.query(
    `update service.transaction_hints
     set looks = looks + 1, next_look_at = now() + make_interval(secs => least(300, 0.5 * 2 ^ least(looks, 10)))
     where request_id = $1 and hash = $2`,
    [requestId, toBytes(hash)],
  );
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
     on conflict (hash, request_id) do update set accepted_at = coalesce(service.transactions.accepted_at, now()),
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
     on conflict (hash, request_id)
       do update set accepted_at = coalesce(service.transactions.accepted_at, now())`,
    [made.map(({ hash }) => toBytes(hash)), made.map(({ id }) => id)],
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
