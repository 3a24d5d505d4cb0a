import type { Database } from "./pool.ts";

export const queues = ["submission", "hint", "relay"] as const;
export type Queue = (typeof queues)[number];

/**
 * Seconds since the oldest entry of each queue was stored; 0 where none waits. `submission`: signed
 * transactions that no node has accepted; `hint`: hashes that wallets reported; `relay`: signatures that
 * no transaction of the relayer carries yet.
 */
export async function queueAges(db: Database): Promise<Map<Queue, number>> {
  const { rows } = await db.query<{ queue: Queue; seconds: number }>(
    `with oldest (queue, since) as (
       select 'submission', min(stored_at) from service.transactions
         join service.requests on id = request_id where accepted_at is null and raw is not null and not settled
       union all
       select 'hint', min(reported_at) from service.transaction_hints
         join service.requests on id = request_id where not settled
       union all
       select 'relay', min(stored_at) from service.relays
         join service.requests on id = request_id
         where not settled and not exists (select from service.relayer_nonces nonce where nonce.request_id = id)
     )
     select queue, coalesce(greatest(0, extract(epoch from now() - since)), 0)::float8 as seconds from oldest`,
  );
  return new Map(rows.map(({ queue, seconds }) => [queue, seconds]));
}
