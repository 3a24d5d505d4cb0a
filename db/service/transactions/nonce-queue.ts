import type { Address, Hash, Hex } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { isReceived } from "../requests/conditions.ts";
import type { Request } from "../requests/request.ts";

/** A nonce held by a transaction of an open request; `raw` is given for the request's own ones only. */
export type HeldNonce = { nonce: number; hash: Hash; own: boolean; raw: Hex | undefined };

/** The queue before a request in the order of its author's nonces. */
export type AuthorQueue = {
  /** Number of earlier open and unsigned requests of the same tenant. */
  unsigned: number;
  /** By nonce, and the newest first for one nonce. */
  held: HeldNonce[];
};

/**
 * In SQL: the number of the tenant's earlier requests in the queue before this one. One signed for the relayer uses no
 * nonce of the author, and one with a reported hash counts as sent, since the node's own count includes it.
 */
export const unsignedBefore = (mine: string): string => `(
    select count(*) ${earlierUnsigned(mine)})`;

/** In SQL: the earlier requests in the queue, named `earlier`. */
const earlierUnsigned = (mine: string): string => `
    from service.requests earlier
    where earlier.author = ${mine}.author and earlier.chain_id = ${mine}.chain_id and earlier.tenant = ${mine}.tenant
      and (earlier.created_at, earlier.id) < (${mine}.created_at, ${mine}.id)
      and ${isReceived("earlier")}
      and not exists (select from service.reported_hashes where request_id = earlier.id)`;

const first = statement(`
  select found.id from service.requests mine
    cross join lateral (select earlier.id ${earlierUnsigned("mine")}
      order by earlier.created_at, earlier.id limit 1) found
  where mine.id = $1`);

/** The first unsigned request in the queue before this one. */
export async function firstUnsigned(db: Database, id: string): Promise<string | undefined> {
  const [row] = await ask<{ id: string }>(db, first, [id]);
  return row?.id;
}

/**
 * In SQL: the transactions, named `sent`, that hold nonces of an author: those of requests that go on. A new index
 * settles again what was refused or given up, which holds nothing meanwhile.
 */
export const holdingNonces = (mine: { author: string; chainId: string }): string => `
    from service.requests request join service.transactions sent on sent.request_id = request.id
    where request.author = ${mine.author} and request.chain_id = ${mine.chainId} and not request.settled
      and request.refused_at is null and request.given_up_at is null
      and sent.nonce is not null and sent.by_author and sent.hopeless is null`;

/**
 * In SQL, as JSON: the held nonces. Requests of other tenants count only once the author has signed them: anyone may
 * request an author's signature, and must not shift the nonces of others by it.
 */
export const heldNonces = (mine: { id: string; author: string; chainId: string }): string => `(
    select json_agg(json_build_object('nonce', sent.nonce, 'hash', '0x' || encode(sent.hash, 'hex'),
        'own', sent.request_id = ${mine.id},
        'raw', case when sent.request_id = ${mine.id} then '0x' || encode(sent.raw, 'hex') end)
      order by sent.nonce, sent.stored_at desc, sent.hash)
    ${holdingNonces(mine)})`;

export type HeldNonceJson = Omit<HeldNonce, "raw"> & { raw: Hex | null };

export function parseHeld(list: HeldNonceJson[] | null): HeldNonce[] {
  return (list ?? []).map((one) => ({ ...one, raw: one.raw ?? undefined }));
}

const line = statement(`
  select exists (select from service.transactions where hash = $4 and request_id = $1) as stored,
    ${heldNonces({ id: "$1", author: "$2", chainId: "$3" })} as held`);

/** Whether this transaction is stored for this request, and the nonces held by others. */
export async function readLine(
  db: Database,
  { id, author, registry }: Request,
  hash: Hash,
): Promise<{ isStored: boolean; held: HeldNonce[] }> {
  const values = [id, toBytes(author), registry.chainId, toBytes(hash)];
  const [row] = await ask<{ stored: boolean; held: HeldNonceJson[] | null }>(db, line, values);
  return { isStored: row?.stored === true, held: parseHeld(row?.held ?? null) };
}

/** Locks an author against other submissions until the transaction ends. Taken before the lock of the request. */
export async function lockAuthor(tx: Transaction, author: Address): Promise<void> {
  await ask(tx, lock, [author]);
}

const lock = statement("select pg_advisory_xact_lock(hashtextextended($1, 1))");
