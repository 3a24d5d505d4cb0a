import type { Hash } from "viem";
import { limits } from "../../../domain/limits.ts";
import { type AssetState, deriveState, isSettled } from "../../../domain/request/state.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { findRequestOutlines, findRequests } from "./find.ts";
import { lockRequests } from "./locks.ts";
import type { Request, RequestOutline } from "./request.ts";

/** An entry of a request's history. */
export type HistoryEntry = {
  state: AssetState;
  at: Date;
  reason: string | undefined;
  transactionHash: Hash | undefined;
  blockNumber: number | undefined;
};

/** In SQL, as JSON: the newest entries of the history of the request with this id, oldest first. */
export const historyJson = (id: string): string => `(
    select json_agg(json_build_object('state', state, 'at', at at time zone 'UTC', 'reason', reason,
      'hash', '0x' || encode(transaction_hash, 'hex'), 'block', block_number) order by ordinal)
    from (
      select * from service.history where request_id = ${id} order by ordinal desc limit ${limits.history}) newest)`;

export type HistoryJson = {
  state: AssetState;
  at: string;
  reason: string | null;
  hash: Hash | null;
  block: number | null;
};

export function parseHistory(list: HistoryJson[] | null): HistoryEntry[] {
  return (list ?? []).map(({ state, at, reason, hash, block }) => ({
    state,
    at: new Date(`${at}Z`),
    reason: reason ?? undefined,
    transactionHash: hash ?? undefined,
    blockNumber: block ?? undefined,
  }));
}

/**
 * Stores the states of requests in the transaction that changed their facts: a state that differs from the newest entry
 * of the history becomes a new one.
 * @returns the updated requests, oldest first
 */
export async function recordStates(tx: Transaction, ids: readonly string[]): Promise<RequestOutline[]> {
  if (ids.length === 0) return [];
  // Locked, because two processes may see the same change.
  await lockRequests(tx, ids);
  return await recordStatesOf(tx, await findRequestOutlines(tx, ids));
}

/** Stores the state of one existing request, as `recordStates` does. */
export async function recordState(tx: Transaction, id: string): Promise<Request> {
  await lockRequests(tx, [id]);
  const [request] = await recordStatesOf(tx, await findRequests(tx, [id]));
  if (request === undefined) throw new Error(`The request ${id} was stored and is not there`);
  return request;
}

/** Stores the states of requests that this transaction has locked and read since. */
export async function recordStatesOf<One extends RequestOutline>(
  tx: Transaction,
  requests: readonly One[],
): Promise<One[]> {
  const changed = requests.filter(
    (request) => isNews(request) || request.settled !== isSettled(request.facts),
  );
  if (changed.length === 0) return [...requests];
  const changes = changed.map((request) => {
    const { state, reason } = deriveState(request.facts);
    const { transactionHash, blockNumber, id, noted } = request;
    const ordinal = isNews(request) ? (noted?.ordinal ?? 0) + 1 : null;
    return {
      id,
      settled: isSettled(request.facts),
      ordinal,
      state,
      reason,
      hash: transactionHash,
      block: blockNumber,
    };
  });
  const rows = await ask<{ id: string; at: Date }>(tx, note, [JSON.stringify(changes)]);
  const notedAt = new Map(rows.map(({ id, at }) => [id, at]));
  return requests.map((request) => {
    const at = notedAt.get(request.id);
    const settled = isSettled(request.facts);
    if (at === undefined) return { ...request, settled };
    const { state, reason } = deriveState(request.facts);
    const noted = { state, reason, ordinal: (request.noted?.ordinal ?? 0) + 1 };
    return { ...request, settled, noted, updatedAt: at };
  });
}

// Each row is updated at most once, since one statement cannot change a row twice.
const note = statement(`
  with entry as (
    select * from json_to_recordset($1::json)
      as entry (id uuid, settled boolean, ordinal integer, state text, reason text, hash text, block bigint)),
  shown as (
    update service.requests request set settled = entry.settled,
      noted_state = case when entry.ordinal is null then noted_state else entry.state end
    from entry where request.id = entry.id
      and (request.settled <> entry.settled or (entry.ordinal is not null and noted_state <> entry.state)))
  insert into service.history (request_id, ordinal, state, reason, transaction_hash, block_number, at)
  select id, ordinal, state, reason, decode(substr(hash, 3), 'hex'), block, clock_timestamp()
  from entry where ordinal is not null
  returning request_id as id, at`);

/** Whether the derived state differs from the newest entry of the history. */
function isNews({ facts, noted }: RequestOutline): boolean {
  const { state, reason } = deriveState(facts);
  return noted?.state !== state || noted.reason !== reason;
}

/** Number of unsettled requests by cached state. */
export async function countOpenByState(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(
    "select noted_state as state, count(*) as count from service.requests where not settled group by noted_state",
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}
