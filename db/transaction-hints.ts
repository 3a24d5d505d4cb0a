import type { Address, Hash, Hex } from "viem";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";

/** Stores the hash of a transaction that a wallet says it has sent. */
export async function storeHint(tx: Transaction, requestId: string, hash: Hash): Promise<void> {
  await tx.query(
    `insert into service.transaction_hints (request_id, hash) values ($1, $2) on conflict do nothing`,
    [requestId, toBytes(hash)],
  );
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
