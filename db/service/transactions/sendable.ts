import { isClosed } from "../../../domain/request/state.ts";
import type { Database } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { findRequestOutlines } from "../requests/find.ts";
import type { WatchedTransaction } from "./due.ts";

/** Why a signed transaction must not be sent now; undefined where it may be. */
export type Stop = "closed" | "behind another";

/**
 * Which of these transactions must not be sent: the request has ended or its change is on the chain, or another
 * transaction of the request may still be mined, so that both would be. Checked right before sending, since the author
 * may have refused the request meanwhile.
 */
export async function reasonsNotToSend(
  db: Database,
  all: readonly Pick<WatchedTransaction, "requestId" | "nonce">[],
): Promise<(Stop | undefined)[]> {
  const found = await findRequestOutlines(
    db,
    all.map(({ requestId }) => requestId),
  );
  const requests = new Map(found.map((request) => [request.id, request]));
  const asked = all.map(({ requestId: id, nonce = 0 }, place) => ({ place, id, nonce }));
  const rows = await ask<{ place: number }>(db, behindAnother, [JSON.stringify(asked)]);
  const behind = new Set(rows.map(({ place }) => place));
  return asked.map(({ place, id }) => {
    const request = requests.get(id);
    if (request === undefined || isClosed(request.facts)) return "closed";
    return behind.has(place) ? "behind another" : undefined;
  });
}

const behindAnother = statement(`
  select asked.place
  from json_to_recordset($1::json) as asked (place integer, id uuid, nonce bigint)
  cross join lateral (select author from service.requests where id = asked.id limit 1) request
  where exists (
    select from service.transactions before
    where before.request_id = asked.id and before.nonce < asked.nonce and before.accepted_at is not null
      and not exists (
        select from chain.nonces where address = request.author and nonce > before.nonce))`);
