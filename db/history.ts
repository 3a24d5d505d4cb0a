import type { Hash } from "viem";
import { limits } from "../domain/limits.ts";
import { type AssetState, deriveState, isRevoked } from "../domain/state.ts";
import { fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";
import { findRequests, lockRequests, markSettled, type Request } from "./requests.ts";

/** A state that a request was seen in. */
export type HistoryEntry = {
  state: AssetState;
  at: Date;
  reason: string | undefined;
  transactionHash: Hash | undefined;
  blockNumber: number | undefined;
};

type HistoryRow = {
  request_id: string;
  ordinal: number;
  state: AssetState;
  at: Date;
  reason: string | null;
  transaction_hash: Buffer | null;
  block_number: number | null;
};

/** The states that a request was seen in, oldest first; of very many, the newest. */
export async function historyOf(db: Database, requestId: string): Promise<HistoryEntry[]> {
  const { rows } = await db.query<HistoryRow>(
    `select * from (
       select * from service.history where request_id = $1 order by ordinal desc limit $2) newest
     order by ordinal`,
    [requestId, limits.history],
  );
  return rows.map((row) => ({
    state: row.state,
    at: row.at,
    reason: row.reason ?? undefined,
    transactionHash: row.transaction_hash === null ? undefined : fromBytes(row.transaction_hash),
    blockNumber: row.block_number ?? undefined,
  }));
}

/**
 * Notes the states of requests whose facts have just changed, in the transaction that changed them: a state
 * that differs from the newest noted one becomes an entry of the history.
 */
export async function noteStates(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // One at a time for each request: two processes may see the same change.
  await lockRequests(tx, ids);
  const requests = await findRequests(tx, ids);
  const { rows: newest } = await tx.query<HistoryRow>(
    `select distinct on (request_id) * from service.history
     where request_id = any($1::uuid[]) order by request_id, ordinal desc`,
    [ids],
  );
  const last = new Map(newest.map((row) => [row.request_id, row]));
  for (const request of requests) await noteState(tx, request, last.get(request.id));

  const [settled, open] = [requests.filter(isSettled), requests.filter((request) => !isSettled(request))];
  const changed = (list: Request[], to: boolean) =>
    list.filter((request) => request.settled !== to).map(({ id }) => id);
  await markSettled(tx, changed(settled, true), true);
  await markSettled(tx, changed(open, false), false);
}

async function noteState(tx: Transaction, request: Request, last: HistoryRow | undefined): Promise<void> {
  const { state, reason } = deriveState(request.facts);
  if (last?.state === state && (last.reason ?? undefined) === reason) return;
  await tx.query(
    `with noted as (update service.requests set noted_state = $3 where id = $1 and noted_state <> $3)
     insert into service.history (request_id, ordinal, state, reason, transaction_hash, block_number, at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
    [
      request.id,
      (last?.ordinal ?? 0) + 1,
      state,
      reason ?? null,
      request.transactionHash === undefined ? null : toBytes(request.transactionHash),
      request.blockNumber ?? null,
    ],
  );
}

/** Nothing is expected of a request any more: it is confirmed, or its end cannot be undone by a reorg. */
function isSettled(request: Request): boolean {
  const { state } = deriveState(request.facts);
  if (state === "Confirmed") return true;
  return (
    isRevoked(state) && (request.facts.refused || request.facts.givenUp !== undefined || request.endIsFinal)
  );
}

/** How many requests of which something is still expected were seen last in each state. */
export async function countOpenByState(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(
    `select newest.state, count(*) as count from service.requests request
     cross join lateral (
       select state from service.history where request_id = request.id order by ordinal desc limit 1) newest
     where not request.settled group by newest.state`,
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}
