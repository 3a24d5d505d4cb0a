import { subjectOf } from "../../chain/cancellations.ts";
import type { Database } from "../../core/pool.ts";

/**
 * Of these requests, those whose gasless signature is public, because its transaction was sent, and still valid; with
 * its deadline in seconds since 1970, at the latest that of its request.
 */
export async function publicSignatures(db: Database, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; deadline: number }>(
    `select request.id, relay.until as deadline
     from service.requests request
     cross join lateral (
       select least(deadline, floor(extract(epoch from request.expires_at))::bigint) as until
       from service.relays where request_id = request.id) relay
     where request.id = any($1::uuid[]) and relay.until >= extract(epoch from now())
       and exists (
         select from service.transactions sent join service.relayer_attempts own on own.hash = sent.hash
         where sent.request_id = request.id and not own.filler and own.sent_block is not null)
       and not exists (
         select from chain.cancellations
         where author = request.author and subject = ${subjectOf("request")})
       and case request.kind
         when 'create' then not exists (select from chain.assets where id = request.asset_id)
         else not exists (
           select from service.transactions sent join chain.links link on link.parent = request.asset_id
             and (link.transaction_hash = sent.hash or link.revoked_transaction_hash = sent.hash)
           where sent.request_id = request.id and not sent.by_author) end`,
    [ids],
  );
  return new Map(rows.map(({ id, deadline }) => [id, deadline]));
}
