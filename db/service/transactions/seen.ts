import { toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { lockRequests } from "../requests/locks.ts";
import type { WatchedTransaction } from "./due.ts";

export type Accepted = Pick<WatchedTransaction, "hash" | "requestId" | "nonce"> & {
  nextAttemptSeconds: number;
};

/** Stores that the node has accepted transactions, or that a block contains them. */
export async function recordAccepted(tx: Transaction, ...all: readonly Accepted[]): Promise<void> {
  await lockRequests(
    tx,
    all.map(({ requestId }) => requestId),
  );
  // Without duplicates, since one statement changes a row once.
  const rows = new Map(
    all.map(({ requestId: id, hash, nonce, nextAttemptSeconds: seconds }) => [
      `${id} ${hash}`,
      { id, hash, nonce, seconds },
    ]),
  );
  await ask(tx, accept, [JSON.stringify([...rows.values()])]);
}

const accept = statement(`
  insert into service.transactions as known (hash, request_id, nonce, accepted_at, next_attempt_at, failures)
  select decode(substr(hash, 3), 'hex'), id, nonce, now(), now() + make_interval(secs => seconds), 0
  from json_to_recordset($1::json) as seen (id uuid, hash text, nonce bigint, seconds double precision)
  on conflict (hash, request_id) do update set accepted_at = coalesce(known.accepted_at, now()),
    nonce = coalesce(known.nonce, excluded.nonce), hopeless = null,
    next_attempt_at = excluded.next_attempt_at, failures = 0, last_problem = null,
    missing_since = null, low_fee_since = null, rejections = 0, rejected_since = null, rejected_block = null`);

/** A check of a transaction at the node, with the seconds until the next. */
export type Check = Pick<WatchedTransaction, "hash" | "requestId"> & { nextAttemptSeconds: number };

/** Stores that another account than the author sent a transaction, so its nonce is not the author's. */
export async function recordForeign(tx: Transaction, check: Check): Promise<void> {
  await recordSeen(tx, { ...check, lowFee: false });
  await tx.query("update service.transactions set by_author = false where hash = $1 and request_id = $2", [
    toBytes(check.hash),
    check.requestId,
  ]);
}

export type Seen = Check & { lowFee: boolean };

/** Stores that the node still has transactions, and whether their fees are below the base fee. */
export async function recordSeen(tx: Transaction, ...all: readonly Seen[]): Promise<void> {
  await lockRequests(
    tx,
    all.map(({ requestId }) => requestId),
  );
  const rows = all.map(({ hash, requestId: id, nextAttemptSeconds: seconds, lowFee: low }) => {
    return { hash, id, seconds, low };
  });
  await ask(tx, see, [JSON.stringify(rows)]);
}

const see = statement(`
  update service.transactions sent
  set failures = 0, next_attempt_at = now() + make_interval(secs => seconds), last_problem = null,
    rejections = 0, rejected_since = null, rejected_block = null, missing_since = null, low_fee_since = case when low then coalesce(low_fee_since, now()) end
  from json_to_recordset($1::json) as seen (id uuid, hash text, seconds double precision, low boolean)
  where sent.hash = decode(substr(seen.hash, 3), 'hex') and sent.request_id = seen.id`);

/** Stores a failed check of a transaction, and when to repeat it. */
export async function recordProblem(db: Database, check: Check & { problem: string }): Promise<void> {
  await db.query(
    `update service.transactions
     set failures = failures + 1, next_attempt_at = now() + make_interval(secs => $3), last_problem = $4
     where hash = $1 and request_id = $2`,
    [toBytes(check.hash), check.requestId, check.nextAttemptSeconds, check.problem],
  );
}
