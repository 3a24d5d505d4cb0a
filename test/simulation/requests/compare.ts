import type { Pool } from "../../../db/core/pool.ts";
import { findRequests } from "../../../db/service/requests/find.ts";
import type { HistoryEntry } from "../../../db/service/requests/history.ts";
import { deriveState } from "../../../domain/request/state.ts";
import { historyOf } from "../../support/database/history.ts";
import type { SimulatedChain } from "./chain.ts";
import { type Asked, expectedState, isSettled } from "./model.ts";
import { confirmations, type Person } from "./person.ts";

/** Names a request with everything that the model knows of it. */
export function failure({ id, call, ...rest }: Asked, problem: string, chain: SimulatedChain): Error {
  const { known, turns, reported, calldata: _, ...plain } = rest;
  const lists = { known: [...known], turns: [...turns], reported: [...reported] };
  const facts = JSON.stringify({ head: chain.head, nonce: chain.nonceOf(rest.author), ...plain, ...lists });
  return new Error(`request ${id} (${call.kind}): ${problem}; ${facts}`);
}

/** What the service says of each request, held against the model. */
export async function compareStates(
  pool: Pool,
  chain: SimulatedChain,
  people: readonly Person[],
): Promise<void> {
  const all = people.flatMap(({ asked }) => asked);
  const ids = all.map(({ id }) => id);
  const found = new Map((await findRequests(pool, ids)).map((request) => [request.id, request]));
  for (const one of all) {
    const request = found.get(one.id);
    const said = request && deriveState(request.facts);
    const allowed = expectedState(one, chain, confirmations);
    const expected = allowed.or && allowed.or.state === said?.state ? allowed.or : allowed;
    const { state, reason, block, hash } = expected;
    const wrong = (what: string, service: unknown, model: unknown) =>
      failure(
        one,
        `${what}: the service says ${JSON.stringify(service)}, the model ${JSON.stringify(model)}`,
        chain,
      );
    if (said?.state !== state) throw wrong("state", said, expected);
    const manyReasons = state === "RevokedByBlockchain" && reason === undefined;
    if (!manyReasons && said.reason !== reason) throw wrong("reason", said, expected);
    if (block !== undefined && (request?.blockNumber !== block || request.transactionHash !== hash))
      throw wrong("place", [request?.blockNumber, request?.transactionHash], [block, hash]);
    if (reason !== "NONCE_USED") one.usedSince = undefined;
    else one.usedSince ??= chain.head;
    const settled = isSettled(one, chain, confirmations);
    if (settled !== undefined && request?.settled !== settled)
      throw wrong("settled", request?.settled, settled);
    if (one.seen.at(-1) !== state) one.seen.push(state);
  }
}

/** Each change stands in the history once, the newest is what holds, and nothing that was seen is missing. */
export async function compareHistories(pool: Pool, people: readonly Person[]): Promise<void> {
  for (const one of people.flatMap(({ asked }) => asked)) {
    const history = await historyOf(pool, one.id);
    const said = history.map(({ state }) => state);
    const wrong = (problem: string) =>
      new Error(`request ${one.id} (${one.call.kind}): ${said.join()} ${problem} ${one.seen.join()}`);
    if (history.some(isRepeated)) throw wrong("has one twice,");
    if (said.at(-1) !== one.seen.at(-1)) throw wrong("ends otherwise than");
    let place = 0;
    for (const state of said) if (state === one.seen[place]) place += 1;
    if (place < one.seen.length) throw wrong("does not hold all of");
  }
}

const isRepeated = ({ state, reason }: HistoryEntry, index: number, all: readonly HistoryEntry[]) =>
  index > 0 && state === all[index - 1]?.state && reason === all[index - 1]?.reason;
