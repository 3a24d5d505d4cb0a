import type { Database } from "../core/pool.ts";

export const queues = ["submission", "hint", "relay"] as const;
export type Queue = (typeof queues)[number];

/**
 * Seconds since the oldest entry of each queue was stored; 0 where none waits. `submission`: signed
 * transactions that no node has accepted; `hint`: hashes that wallets reported; `relay`: signatures that
 * no transaction of the relayer carries yet.
 */
export async function queueAges(db: Database): Promise<Map<Queue, number>> {
  const { rows } = await db.query<{ queue: Queue; seconds: number }>(
    // From the open requests on: what has ended is never removed from two of these tables.
    `with open as materialized (select id from service.requests where not settled),
     oldest (queue, since) as (
       select 'submission', min(stored_at) from open cross join lateral (
         select stored_at from service.transactions
         where request_id = open.id and accepted_at is null and raw is not null offset 0) sent
       union all
       select 'hint', min(reported_at) from open cross join lateral (
         select reported_at from service.transaction_hints where request_id = open.id
         order by reported_at limit 1) hint
       union all
       select 'relay', min(stored_at) from open cross join lateral (
         select stored_at from service.relays where request_id = open.id
           and not exists (select from service.relayer_nonces nonce where nonce.request_id = open.id)
         limit 1) relay
     )
     select queue, coalesce(greatest(0, extract(epoch from now() - since)), 0)::float8 as seconds from oldest`,
  );
  return new Map(rows.map(({ queue, seconds }) => [queue, seconds]));
}
