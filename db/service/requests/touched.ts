import type { AssetId } from "../../../domain/asset/asset.ts";
import { toBytes } from "../../../domain/bytes.ts";
import { type Cancellation, requestsVoided, subjectOf } from "../../chain/cancellations.ts";
import { hashesOf, joinHashes } from "../../core/hash-list.ts";
import type { Database } from "../../core/pool.ts";
import { requestsForLinks } from "./complete-links.ts";

/** Events of blocks that concern requests. */
export type Touching = {
  /** Ids of assets, one by one or as `joinHashes` joins them. */
  assets?: readonly AssetId[] | Buffer;
  /** Links that were added or revoked. */
  links?: readonly { parent: AssetId; child: AssetId }[];
  voided?: readonly Pick<Cancellation, "author" | "subject">[];
};

/**
 * Requests whose state a block may have changed: those with a pending transaction, those for these assets or links, and
 * those whose signature was cancelled in this block or recently, since a request without a transaction settles when that
 * block is final. An asset that is stored as Committed changes nothing until it is final or removed. Each kind is read
 * from its smaller side, the open requests or the block's events, and never from all requests.
 */
export async function requestsTouched(
  db: Database,
  { assets = [], links = [], voided = [] }: Touching,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with open as materialized (
       select id, kind, author, asset_id, link_nonce, noted_state, given_up_at from service.requests where not settled)
     select request.id from open request
     cross join lateral (select from service.transactions where request_id = request.id limit 1) sent
     where not (
       request.noted_state = 'Committed' and request.kind = 'create' and request.given_up_at is null
       and exists (
         select from chain.assets made
         where made.id = request.asset_id and made.block_number > (select final_number from chain.cursor)
         offset 0))
     union
     select id from service.requests
     where asset_id in (select hash from ${hashesOf("$1")} asset) and (kind = 'create' or not settled)
     union
     select request.id from (${requestsForLinks(`
       select parent.hash as parent, child.hash as child
       from ${hashesOf("$2")} parent join ${hashesOf("$3")} child using (place)`)}) named
     cross join lateral (
       select id, settled, noted_state from service.requests where id = named.id offset 0) request
     where not (request.settled and request.noted_state = 'Confirmed')
     union
     (${requestsVoided("select * from unnest($4::bytea[], $5::bytea[]) as voided (author, subject)")})
     union
     select request.id from open request cross join lateral (
       select from chain.cancellations
       where author = request.author and subject = ${subjectOf("request")}
         and block_number > (select final_number from chain.cursor) - 1024 limit 1) voided`,
    [
      Buffer.isBuffer(assets) ? assets : joinHashes(assets),
      joinHashes(links.map(({ parent }) => parent)),
      joinHashes(links.map(({ child }) => child)),
      voided.map(({ author }) => toBytes(author)),
      voided.map(({ subject }) => toBytes(subject)),
    ],
  );
  return rows.map(({ id }) => id);
}
