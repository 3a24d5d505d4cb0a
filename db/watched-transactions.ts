import type { Address, Hash, Hex } from "viem";
import { deriveState, isRevoked, type KnownReason } from "../domain/state.ts";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import { findRequest, lockRequest } from "./requests.ts";

/** A transaction to look after: send it, or see that the node still has it. */
export type WatchedTransaction = {
  hash: Hash;
  requestId: string;
  raw: Hex | undefined;
  nonce: number | undefined;
  accepted: boolean;
  /** Looks in a row that came to nothing. */
  looks: number;
  author: Address;
  /** Whether the request's time to be signed is over; what no node took by then is given up. */
  expired: boolean;
};

/** Transactions of unsettled requests that are due for a look, longest due first. The relayer looks after its own. */
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
     where not request.settled and sent.hopeless is null and sent.next_look_at <= now()
       and (sent.by_author or not exists (select from service.relayer_attempts own where own.hash = sent.hash))
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

/** Why a signed transaction is not sent at the moment; undefined where it is. */
export type Stop = "closed" | "behind another";

/**
 * Whether a transaction must not be sent: its request has ended or its change is on the chain, or another
 * transaction of the request may still be executed before it, so that both would be. Asked right before it is
 * sent: a refusal may have come since it was read.
 */
export async function reasonNotToSend(
  db: Database,
  { requestId, nonce }: Pick<WatchedTransaction, "requestId" | "nonce">,
): Promise<Stop | undefined> {
  const request = await findRequest(db, requestId);
  if (request === undefined || request.facts.effect !== undefined) return "closed";
  if (isRevoked(deriveState(request.facts).state)) return "closed";
  const { rowCount } = await db.query(
    `select from service.transactions before
     where before.request_id = $1 and before.nonce < $2 and before.accepted_at is not null
       and not exists (
         select from chain.nonces where address = $3 and nonce > before.nonce)
     limit 1`,
    [requestId, nonce ?? 0, toBytes(request.author)],
  );
  return rowCount === 1 ? "behind another" : undefined;
}

/** Notes that the node has a transaction, by its answer or because a block holds it. */
export async function noteAccepted(
  tx: Transaction,
  seen: { hash: Hash; requestId: string; nonce: number | undefined; nextLookSeconds: number },
): Promise<void> {
  await lockRequest(tx, seen.requestId);
  await tx.query(
    `insert into service.transactions (hash, request_id, nonce, accepted_at, next_look_at, looks)
     values ($1, $2, $3, now(), now() + make_interval(secs => $4), 0)
     on conflict (hash, request_id) do update set accepted_at = coalesce(service.transactions.accepted_at, now()),
       nonce = coalesce(service.transactions.nonce, excluded.nonce), hopeless = null,
       next_look_at = excluded.next_look_at, looks = 0, last_problem = null,
       missing_since = null, low_fee_since = null`,
    [toBytes(seen.hash), seen.requestId, seen.nonce ?? null, seen.nextLookSeconds],
  );
}

type Look = Pick<WatchedTransaction, "hash" | "requestId"> & { nextLookSeconds: number };

/** Notes that the node has a transaction of somebody else than the author, so that its nonce says nothing about them. */
export async function noteForeign(db: Database, look: Look): Promise<void> {
  await noteSeen(db, { ...look, lowFee: false });
  await db.query("update service.transactions set by_author = false where hash = $1 and request_id = $2", [
    toBytes(look.hash),
    look.requestId,
  ]);
}

/** Notes that the node still has a transaction, and whether its fee is below what the chain asks for. */
export async function noteSeen(db: Database, look: Look & { lowFee: boolean }): Promise<void> {
  await db.query(
    `update service.transactions
     set looks = 0, next_look_at = now() + make_interval(secs => $3), last_problem = null,
       missing_since = null, low_fee_since = case when $4 then coalesce(low_fee_since, now()) end
     where hash = $1 and request_id = $2`,
    [toBytes(look.hash), look.requestId, look.nextLookSeconds, look.lowFee],
  );
}

/** Notes that a look at a transaction came to nothing, and when to look again. */
export async function noteProblem(db: Database, look: Look & { problem: string }): Promise<void> {
  await db.query(
    `update service.transactions
     set looks = looks + 1, next_look_at = now() + make_interval(secs => $3), last_problem = $4
     where hash = $1 and request_id = $2`,
    [toBytes(look.hash), look.requestId, look.nextLookSeconds, look.problem],
  );
}

/** Notes that the node does not have a transaction that it had before, and that only the wallet can send again. */
export async function noteMissing(tx: Transaction, look: Look): Promise<void> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, { ...look, problem: "the node does not have it" });
  await tx.query(
    `update service.transactions set missing_since = coalesce(missing_since, now()), low_fee_since = null
     where hash = $1 and request_id = $2 and accepted_at is not null`,
    [toBytes(look.hash), look.requestId],
  );
}

/**
 * Notes that the node refused a transaction.
 * @param look `hopeless` is why it is not sent again
 * @returns whether nothing is left of the request that could be sent, or that the node had
 */
export async function noteRefused(
  tx: Transaction,
  look: Look & { problem: string; lowFee: boolean; hopeless: KnownReason | undefined },
): Promise<boolean> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, look);
  await tx.query(
    `update service.transactions
     set low_fee_since = case when $3 then coalesce(low_fee_since, now()) end, hopeless = $4,
       missing_since = case when accepted_at is not null then coalesce(missing_since, now()) end
     where hash = $1 and request_id = $2`,
    [toBytes(look.hash), look.requestId, look.lowFee, look.hopeless ?? null],
  );
  const { rowCount } = await tx.query(
    "select from service.transactions where request_id = $1 and hopeless is null limit 1",
    [look.requestId],
  );
  return rowCount === 0;
}

/**
 * Whether a request, whose time is over, waits for transactions that nobody but their wallet can send again, and
 * the node has had none of them for so long. What the relayer sent is void by then.
 */
export async function isDropped(tx: Transaction, requestId: string, seconds: number): Promise<boolean> {
  const { rows } = await tx.query<{ dropped: boolean | null }>(
    `select bool_and(raw is null and coalesce(missing_since <= now() - make_interval(secs => $2), false))
         as dropped
     from service.transactions sent where request_id = $1 and hopeless is null
       and not exists (select from service.relayer_attempts own where own.hash = sent.hash)`,
    [requestId, seconds],
  );
  return rows[0]?.dropped === true;
}
