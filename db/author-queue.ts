import type { Address, Hash, Hex } from "viem";
import { fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import type { Request } from "./requests.ts";

/** A nonce that a transaction of an open request holds; `raw` is known of the asking request's own ones only. */
export type HeldNonce = { nonce: number; hash: Hash; own: boolean; raw: Hex | undefined };

/** What stands before a request in the line of its author's transactions. */
export type AuthorQueue = {
  /** Earlier open requests of the same tenant that nobody has signed yet. */
  unsigned: number;
  /** By nonce, and of one nonce the newest first. */
  held: HeldNonce[];
};

/**
 * Reads the line. Of other tenants it holds only the nonces of what the author has signed: anyone may ask for
 * an author's signature, and must not move the nonces of others by it.
 */
export async function authorQueue(db: Database, request: Request): Promise<AuthorQueue> {
  return { unsigned: await countUnsignedBefore(db, request.id), held: await heldNonces(db, request) };
}

async function countUnsignedBefore(db: Database, requestId: string): Promise<number> {
  // One signed for the relayer uses no nonce of the author, one whose wallet reported a hash counts as sent: the node's own count has it, or will.
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
     from service.requests mine join service.requests earlier
       on earlier.author = mine.author and earlier.chain_id = mine.chain_id and earlier.tenant = mine.tenant
       and (earlier.created_at, earlier.id) < (mine.created_at, mine.id)
     where mine.id = $1 and not earlier.settled and earlier.refused_at is null
       and earlier.given_up_at is null and earlier.expires_at > now()
       and not exists (select from service.transactions where request_id = earlier.id)
       and not exists (select from service.transaction_hints where request_id = earlier.id)
       and not exists (select from service.relays where request_id = earlier.id)`,
    [requestId],
  );
  return rows[0]?.count ?? 0;
}

/** Nonces of the transactions of this author's requests that neither were given up nor are final. */
export async function heldNonces(db: Database, { id, author, registry }: Request): Promise<HeldNonce[]> {
  const { rows } = await db.query<{ nonce: number; hash: Buffer; own: boolean; raw: Buffer | null }>(
    `select sent.nonce, sent.hash, sent.request_id = $2 as own,
       case when sent.request_id = $2 then sent.raw end as raw
     from service.transactions sent join service.requests request on request.id = sent.request_id
     where request.author = $1 and request.chain_id = $3 and not request.settled
       and request.refused_at is null and request.given_up_at is null and sent.nonce is not null
       and sent.by_author and sent.hopeless is null
     order by sent.nonce, sent.stored_at desc, sent.hash`,
    [toBytes(author), id, registry.chainId],
  );
  return rows.map(({ nonce, hash, own, raw }) => ({
    nonce,
    hash: fromBytes(hash),
    own,
    raw: raw === null ? undefined : fromBytes(raw),
  }));
}

/** Keeps other submissions of this author waiting until the transaction ends. Taken before the request is locked. */
export async function lockAuthor(tx: Transaction, author: Address): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [author]);
}
