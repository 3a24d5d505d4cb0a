import {
  type AuthorQueue,
  type HeldNonceJson,
  heldNonces,
  parseHeld,
  unsignedBefore,
} from "./author-queue.ts";
import { type HistoryEntry, type HistoryJson, historyJson, parseHistory } from "./history.ts";
import type { Database } from "./pool.ts";
import { parseRequest, type RequestRow, requestFacts } from "./request-facts.ts";
import type { Request } from "./requests.ts";
import { ask, statement } from "./statement.ts";

/** All that the answer about a transaction needs, of one moment of the database. */
export type TransactionReading = {
  request: Request;
  noted: HistoryEntry[];
  queue: AuthorQueue;
  /** Whether a relayer works. */
  relayed: boolean;
};

type TransactionReadingRow = RequestRow & {
  history: HistoryJson[] | null;
  unsigned: number;
  held: HeldNonceJson[] | null;
  relayed: boolean;
};

const transaction = statement(`
  select facts.*, ${historyJson("facts.id")} as history, ${unsignedBefore("facts")} as unsigned,
    ${heldNonces({ id: "facts.id", author: "facts.author", chainId: "facts.chain_id" })} as held,
    exists (select from service.relayer) as relayed
  from (${requestFacts} where request.id = $1) facts`);

export async function readTransaction(db: Database, id: string): Promise<TransactionReading | undefined> {
  const [row] = await ask<TransactionReadingRow>(db, transaction, [id]);
  if (row === undefined) return undefined;
  return {
    request: parseRequest(row),
    noted: parseHistory(row.history),
    queue: { unsigned: row.unsigned, held: parseHeld(row.held) },
    relayed: row.relayed,
  };
}
