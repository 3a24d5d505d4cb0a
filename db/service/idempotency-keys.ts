import { limits } from "../../domain/limits.ts";
import type { Database } from "../core/pool.ts";

/** Identity of a request with an Idempotency-Key. */
export type KeyedRequest = {
  /** SHA-256 of the caller. */
  caller: Buffer;
  /** Method and path of the operation: `POST /assets/`. */
  operation: string;
  key: string;
  /** SHA-256 of method, path and body. */
  fingerprint: Buffer;
};

export type KeptAnswer = { status: number; body: string };

const oldest = `now() - make_interval(hours => ${limits.idempotencyKeyHours})`;

/**
 * Stores the answer to a request, without waiting for another transaction with the same key.
 * @returns false where the key has an answer, or another transaction is about to store one
 */
export async function keepAnswer(
  db: Database,
  { caller, operation, key, fingerprint }: KeyedRequest,
  { status, body }: KeptAnswer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into service.idempotency_keys as known (caller, operation, key, fingerprint, status, body)
     select $1::bytea, $2::text, $3::text, $4::bytea, $5::smallint, $6::text
     where pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::bytea, $2, $3), 0))
     on conflict (caller, operation, key) do update
       set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, answered_at = now()
       where known.answered_at <= ${oldest}`,
    [caller, operation, key, fingerprint, status, body],
  );
  return rowCount === 1;
}

/** The stored answer of a key, with the fingerprint of its request. */
export async function findAnswer(
  db: Database,
  { caller, operation, key }: Omit<KeyedRequest, "fingerprint">,
): Promise<(KeptAnswer & { fingerprint: Buffer }) | undefined> {
  const { rows } = await db.query<KeptAnswer & { fingerprint: Buffer }>(
    `select status, body, fingerprint from service.idempotency_keys
     where caller = $1 and operation = $2 and key = $3 and answered_at > ${oldest}`,
    [caller, operation, key],
  );
  return rows[0];
}

/** Deletes a batch of expired answers. @returns how many */
export async function removeOldAnswers(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.idempotency_keys where ctid in (
       select ctid from service.idempotency_keys where answered_at <= ${oldest}
       order by answered_at limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}
