import { limits } from "../../../domain/limits.ts";
import type { Database } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";

/** A request holds its texts twice: as they were sent, and in the call. */
const copies = 2;

/**
 * The first of these requests, as many as fit into an answer, one in any case. PostgreSQL knows how large a call is
 * without reading it.
 */
export async function requestsThatFit(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await ask<{ id: string }>(db, fitting, [JSON.stringify(ids)]);
  return rows.map(({ id }) => id);
}

const fitting = statement(`
  select id from (
    select id, place, bytes, sum(bytes) over (order by place) as total
    from (
      select stored.id, asked.place, ${copies} * octet_length(stored.calldata) as bytes
      from json_array_elements_text($1::json) with ordinality as asked (id, place)
      cross join lateral (
        select id, calldata from service.requests where id = asked.id::uuid limit 1) stored) found) request
  where total <= ${limits.answerBytes} or total = bytes
  order by place`);
