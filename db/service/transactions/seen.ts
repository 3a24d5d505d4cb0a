import { toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { lockRequests } from "../requests/locks.ts";
import type { WatchedTransaction } from "./due.ts";

export type Accepted = Pick<WatchedTransaction, "hash" | "requestId" | "nonce"> & { nextLookSeconds: number };

/** Stores that the node has accepted transactions, or that a block contains them. */
export async function recordAccepted(tx: Transaction, ...all: readonly Accepted[]): Promise<void> {
  await lockRequests(
    tx,
    all.map(({ requestId }) => requestId),
  );
  // Without duplicates, since one statement changes a row once.
  const rows = new Map(
    all.map(({ requestId: id, hash, nonce, nextLookSeconds: look }) => [
      `${id} ${hash}`,
      { id, hash, nonce, look },
    ]),
  );
  await ask(tx, accept, [JSON.stringify([...rows.values()])]);
}

const accept = statement(`
  insert into service.transactions as known (hash, request_id, nonce, accepted_at, next_look_at, looks)
  select decode(substr(hash, 3), 'hex'), id, nonce, now(), now() + make_interval(secs => look), 0
  from json_to_recordset($1::json) as seen (id uuid, hash text, nonce bigint, look double precision)
  on conflict (hash, request_id) do update set accepted_at = coalesce(known.accepted_at, now()),
    nonce = coalesce(known.nonce, excluded.nonce), hopeless = null,
    next_look_at = excluded.next_look_at, looks = 0, last_problem = null,
    missing_since = null, low_fee_since = null, rejections = 0, rejected_since = null, rejected_block = null`);

/** A check of a transaction, with the seconds until the next. */
export type Look = Pick<WatchedTransaction, "hash" | "requestId"> & { nextLookSeconds: number };

/** Stores that another account than the author sent a transaction, so its nonce is not the author's. */
export async function recordForeign(tx: Transaction, look: Look): Promise<void> {
  await recordSeen(tx, { ...look, lowFee: false });
  await tx.query("update service.transactions set by_author = false where hash = $1 and request_id = $2", [
    toBytes(look.hash),
    look.requestId,
  ]);
}

export type Seen = Look & { lowFee: boolean };

/** Stores that the node still has transactions, and whether their fees are below the base fee. */
export async function recordSeen(tx: Transaction, ...looks: readonly Seen[]): Promise<void> {
  await lockRequests(
    tx,
    looks.map(({ requestId }) => requestId),
  );
  const rows = looks.map(({ hash, requestId: id, nextLookSeconds: look, lowFee: low }) => {
    return { hash, id, look, low };
  });
  await ask(tx, see, [JSON.stringify(rows)]);
}

const see = statement(`
  update service.transactions sent
  set looks = 0, next_look_at = now() + make_interval(secs => look), last_problem = null,
    rejections = 0, rejected_since = null, rejected_block = null, missing_since = null, low_fee_since = case when low then coalesce(low_fee_since, now()) end
  from json_to_recordset($1::json) as seen (id uuid, hash text, look double precision, low boolean)
  where sent.hash = decode(substr(seen.hash, 3), 'hex') and sent.request_id = seen.id`);

/** Stores a failed check of a transaction, and when to repeat it. */
export async function recordProblem(db: Database, look: Look & { problem: string }): Promise<void> {
  await db.query(
    `update service.transactions
     set looks = looks + 1, next_look_at = now() + make_interval(secs => $3), last_problem = $4
     where hash = $1 and request_id = $2`,
    [toBytes(look.hash), look.requestId, look.nextLookSeconds, look.problem],
  );
}
