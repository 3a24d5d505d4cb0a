import type { Database } from "../core/pool.ts";

export const queues = ["submission", "reported_hash", "relay"] as const;
export type Queue = (typeof queues)[number];

/**
 * Age in seconds of the oldest entry of each queue; 0 where it is empty. `submission`: signed transactions that no node
 * has accepted; `reported_hash`: reported hashes; `relay`: signatures without a transaction of the relayer.
 */
export async function queueAges(db: Database): Promise<Map<Queue, number>> {
  const { rows } = await db.query<{ queue: Queue; seconds: number }>(
    // Starts from open requests: closed ones are never deleted from two of these tables.
    `with open as materialized (select id from service.requests where not settled),
     oldest (queue, since) as (
       select 'submission', min(stored_at) from open cross join lateral (
         select stored_at from service.transactions
         where request_id = open.id and accepted_at is null and raw is not null offset 0) sent
       union all
       select 'reported_hash', min(reported_at) from open cross join lateral (
         select reported_at from service.reported_hashes where request_id = open.id
         order by reported_at limit 1) reported
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
