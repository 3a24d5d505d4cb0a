import type { Database } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import {
  type OutlineRow,
  parseOutline,
  parseRequest,
  type RequestRow,
  requestFacts,
  requestFactsFrom,
} from "../service/requests/facts.ts";
import {
  type HistoryEntry,
  type HistoryJson,
  historyJson,
  parseHistory,
} from "../service/requests/history.ts";
import type { Change, Request, RequestOutline } from "../service/requests/request.ts";
import {
  type AuthorQueue,
  type HeldNonceJson,
  heldNonces,
  parseHeld,
  unsignedBefore,
} from "../service/transactions/nonce-queue.ts";

/** All that the answer about a transaction needs, of one moment of the database. */
export type TransactionReading = {
  request: Request;
  noted: HistoryEntry[];
  queue: AuthorQueue;
  hasRelayer: boolean;
};

type TransactionReadingRow = RequestRow & {
  history: HistoryJson[] | null;
  unsigned: number;
  held: HeldNonceJson[] | null;
  has_relayer: boolean;
};

const transaction = statement(`
  select facts.*, ${historyJson("facts.id")} as history, ${unsignedBefore("facts")} as unsigned,
    ${heldNonces({ id: "facts.id", author: "facts.author", chainId: "facts.chain_id" })} as held,
    exists (select from service.relayer) as has_relayer
  from (${requestFacts} where request.id = $1) facts`);

export async function readTransaction(db: Database, id: string): Promise<TransactionReading | undefined> {
  const [row] = await ask<TransactionReadingRow>(db, transaction, [id]);
  if (row === undefined) return undefined;
  return {
    request: parseRequest(row),
    noted: parseHistory(row.history),
    queue: { unsigned: row.unsigned, held: parseHeld(row.held) },
    hasRelayer: row.has_relayer,
  };
}

/** How far a request is. */
export type RequestStatus = { request: RequestOutline & { kind: Change["kind"] }; noted: HistoryEntry[] };

// As JSON, and picked before anything is joined: see `findRequests`.
const statuses = statement(`
  select facts.*, ${historyJson("facts.id")} as history
  from (${requestFactsFrom(
    `(
    select stored.* from json_array_elements_text($1::json) asked (id)
    cross join lateral (select * from service.requests where id = asked.id::uuid limit 1) stored offset 0) request`,
    { texts: "none" },
  )}
  ) facts`);

/** How far each of these requests is; unknown ones are left out, and the order is any. */
export async function readTransactionStatuses(
  db: Database,
  ids: readonly string[],
): Promise<RequestStatus[]> {
  if (ids.length === 0) return [];
  const asked = JSON.stringify([...new Set(ids)]);
  const rows = await ask<OutlineRow & { history: HistoryJson[] | null }>(db, statuses, [asked]);
  return rows.map((row) => ({
    request: { ...parseOutline(row), kind: row.kind },
    noted: parseHistory(row.history),
  }));
}
