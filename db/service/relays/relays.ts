import type { Hex } from "viem";
import { fromBytes, toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/** Stores an author's signature for the relayer; an earlier one is kept. */
export async function storeRelay(
  tx: Transaction,
  relay: { requestId: string; signature: Hex; estimatedCost: bigint; deadline?: number | undefined },
): Promise<void> {
  await tx.query(
    `insert into service.relays (request_id, signature, estimated_cost, deadline) values ($1, $2, $3, $4)
     on conflict (request_id) do nothing`,
    [relay.requestId, toBytes(relay.signature), String(relay.estimatedCost), relay.deadline ?? null],
  );
}

/** The author's signature that is stored for the relayer. */
export async function findRelaySignature(db: Database, requestId: string): Promise<Hex | undefined> {
  const { rows } = await db.query<{ signature: Buffer }>(
    "select signature from service.relays where request_id = $1",
    [requestId],
  );
  return rows[0] && fromBytes(rows[0].signature);
}

/** Whether a transaction of the author's own may still make the change. */
export async function authorSends(db: Database, requestId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from service.transactions sent join service.requests request on request.id = sent.request_id
     where sent.request_id = $1 and sent.by_author and sent.hopeless is null
       and not exists (select from chain.nonces where address = request.author and nonce > sent.nonce)
     limit 1`,
    [requestId],
  );
  return rowCount === 1;
}
