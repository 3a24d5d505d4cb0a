import type { Hash } from "viem";
import { fromBytes, toBytes } from "../../../domain/bytes.ts";
import { deriveState } from "../../../domain/request/state.ts";
import { joinHashes } from "../../core/hash-list.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { isReceived } from "../requests/conditions.ts";
import { parseRequest, type RequestRow, requestFacts } from "../requests/facts.ts";
import type { Request } from "../requests/request.ts";
import { type HeldNonce, type HeldNonceJson, heldNonces, holdingNonces, parseHeld } from "./nonce-queue.ts";
import type { SignedTransaction } from "./signed.ts";

/** A request with everything that a signed transaction is checked against, from one snapshot. */
export type SubmissionReading = {
  request: Request;
  /** Nonces held by transactions of the author. */
  held: HeldNonce[];
  /** Stored transactions of this request. */
  stored: Hash[];
  /** Hash of the newest indexed block; empty before the first. */
  indexed: Buffer;
};

type SubmissionRow = RequestRow & { held: HeldNonceJson[] | null; stored: Buffer[] | null; indexed: Buffer };

const indexed = "coalesce((select block_hash from chain.cursor), ''::bytea)";

const reading = statement(`
  select facts.*, ${heldNonces({ id: "facts.id", author: "facts.author", chainId: "facts.chain_id" })} as held,
    (select array_agg(hash) from service.transactions where request_id = facts.id) as stored, ${indexed} as indexed
  from (${requestFacts} where request.id = $1) facts`);

export async function readSubmission(db: Database, id: string): Promise<SubmissionReading | undefined> {
  const [row] = await ask<SubmissionRow>(db, reading, [id]);
  if (row === undefined) return undefined;
  const stored = (row.stored ?? []).map(fromBytes);
  return { request: parseRequest(row), held: parseHeld(row.held), stored, indexed: row.indexed };
}

/**
 * Stores a signed transaction as the first answer to a request, with the state that follows, if the request and the
 * author's nonces are still as they were read. Both are locked before that check.
 * @returns the updated request; undefined where nothing was stored
 */
export async function storeFirstAnswer(
  tx: Transaction,
  { request, held, stored, indexed }: SubmissionReading,
  { hash, raw, nonce, description }: SignedTransaction,
): Promise<Request | undefined> {
  const { id, author, registry, facts, noted } = request;
  const unanswered = deriveState(facts).state;
  if (stored.length > 0 || unanswered !== "Received" || noted?.state !== unanswered) return undefined;
  const after = { ...facts, signed: true, nonces: { known: 1, open: 1, passed: undefined } };
  const { state } = deriveState(after);
  await ask(tx, lock, [author, id]);
  const [row] = await ask<{ at: Date }>(tx, store, [
    id,
    toBytes(hash),
    toBytes(raw),
    nonce,
    description ?? null,
    noted.ordinal,
    state,
    toBytes(author),
    registry.chainId,
    joinHashes(held.map((one) => one.hash).sort()),
    indexed,
  ]);
  if (row === undefined) return undefined;
  return {
    ...request,
    facts: after,
    transactionHash: hash,
    noted: { ordinal: noted.ordinal + 1, state, reason: undefined },
    updatedAt: row.at,
  };
}

/** Locks the author first: see `lockAuthor`. */
const lock = statement(`
  with author as materialized (select pg_advisory_xact_lock(hashtextextended($1, 1)))
  select from author, service.requests request where request.id = $2 for update of request`);

// The same newest block means the same facts of the chain. A nonce used on the chain would count as a cancellation.
const store = statement(`
  with unanswered as (
    select id from service.requests mine
    where id = $1 and ${isReceived("mine")}
      and $6 = (select max(ordinal) from service.history where request_id = $1)
      and not exists (select from chain.nonces where address = $8 and nonce > $4)
      and $10 = coalesce((
        select string_agg(sent.hash, ''::bytea order by sent.hash)
        ${holdingNonces({ author: "$8", chainId: "$9" })}), ''::bytea)
      and $11 = ${indexed}),
  sent as (
    insert into service.transactions (hash, request_id, raw, nonce, description)
    select $2, id, $3, $4, $5 from unanswered returning request_id),
  shown as (
    update service.requests set noted_state = $7 where id in (select request_id from sent))
  insert into service.history (request_id, ordinal, state, transaction_hash, at)
  select request_id, $6 + 1, $7, $2, clock_timestamp() from sent
  returning at`);
