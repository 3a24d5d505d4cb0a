import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { budgetUsed, lockBudget } from "../../db/service/relays/budget.ts";
import {
  freeNonce,
  insertAttempt,
  insertPlannedNonce,
  type PlannedNonce,
} from "../../db/service/relays/relayer-nonces.ts";
import { authorSends } from "../../db/service/relays/relays.ts";
import { postponeRelay, type WaitingRelay } from "../../db/service/relays/waiting-relays.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { gaslessCall } from "../../domain/asset/gasless.ts";
import { gasLimitFor } from "../../domain/fees.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { isClosed, type KnownReason } from "../../domain/request/state.ts";

import type { Header } from "../../rpc/calls/header.ts";
import { revertNameOf } from "../../rpc/errors/execution-failure.ts";
import { NodeError, RpcError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import type { RequiredRepeats } from "../outbox/repeated-answer.ts";
import type { DataFee } from "./data-fee.ts";
import { fail, inTime } from "./ending.ts";
import { currentFees } from "./fees.ts";
import type { Signing, Unsent } from "./signing.ts";
import { overBudget, overMaxFee } from "./under-way.ts";

export const lowBalance = "the relayer's balance is too low";

type Now = { head: Header; cursor: IndexPosition; expected: number; available: bigint };
/** A nonce with its first transaction, stored and not sent, and its highest cost. */
export type Planned = { one: PlannedNonce; attempt: Unsent; cost: bigint };
/** Gas limit of a request's call; or the registry's error, or a problem; or that the request is closed. */
export type Estimate =
  | { request: Request; gas: bigint }
  | { request: Request; reason: string | undefined; problem: string }
  | "closed";

/** Failed estimates without a reason, over some minutes, until a request is given up. */
const mostUnknown = 8;
const longestPause = 300;

/** Plans transactions for waiting signatures. */
export function createPlanning(
  { pool, node, repeats }: { pool: Pool; node: Node; repeats: RequiredRepeats },
  signing: Signing,
  { dailyBudget, maxFee }: { dailyBudget: bigint; maxFee: bigint },
  dataFee: DataFee,
) {
  const { address } = signing;

  /** Estimates one call; its failure does not affect the others. */
  async function estimate({ requestId, signature }: WaitingRelay): Promise<Estimate> {
    const request = await findRequest(pool, requestId);
    if (request === undefined || isClosed(request.facts)) return "closed";
    const call = { from: address, to: request.registry.address, data: gaslessCall(request, signature) };
    try {
      return { request, gas: gasLimitFor(await node.estimateGas(call)) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const reason = revertReasonOf(error);
      const problem =
        reason === undefined
          ? "the node cannot estimate the call"
          : `the registry would refuse the call: ${reason}`;
      return { request, reason, problem };
    }
  }

  async function recordFailure(
    { requestId, failures }: WaitingRelay,
    { reason, problem }: { reason: string | undefined; problem: string },
    head: Header,
  ): Promise<void> {
    const first = reason === undefined ? 5 : 1;
    const failure = { problem, seconds: Math.min(longestPause, first * 2 ** failures), at: head.number };
    const notEstimated: KnownReason = "NOT_ESTIMATED";
    const enough = reason === undefined ? { ...repeats, attempts: mostUnknown } : repeats;
    await fail(pool, requestId, reason ?? notEstimated, failure, enough);
  }

  async function wait(id: string, problem: string | undefined, seconds: number) {
    await inTransaction(pool, (tx) => postponeRelay(tx, id, { problem, seconds }));
    return undefined;
  }

  /** @returns undefined where nothing is sent now; the problem, where the relayer is its cause */
  async function plan(
    waiting: WaitingRelay,
    estimated: Estimate,
    now: Now,
  ): Promise<Planned | typeof lowBalance | typeof overMaxFee | undefined> {
    const { requestId, signature } = waiting;
    if (estimated === "closed" || !inTime(estimated.request, now.head)) return wait(requestId, undefined, 60);
    if (!("gas" in estimated)) {
      await recordFailure(waiting, estimated, now.head);
      return undefined;
    }
    const { request, gas } = estimated;
    // Otherwise the signature of a link change would stay public and unused.
    if (request.change.kind !== "create" && (await authorSends(pool, requestId))) {
      return wait(requestId, "a transaction of the author's own is under way", 5);
    }
    const current = await currentFees(node, now.head, maxFee);
    if (current === undefined) {
      await wait(requestId, overMaxFee, 5);
      return overMaxFee;
    }
    const fees = { ...current, dataFee: await dataFee(gaslessCall(request, signature)) };
    const cost = gas * fees.maxFee + fees.dataFee;
    if (cost > now.available) {
      await wait(requestId, lowBalance, 5);
      return lowBalance;
    }
    const { tenant, registry } = request;
    const planned = await inTransaction(pool, async (tx) => {
      await lockRequest(tx, requestId);
      const locked = await findRequest(tx, requestId);
      if (locked === undefined || isClosed(locked.facts)) return undefined;
      await lockBudget(tx, tenant);
      if ((await budgetUsed(tx, tenant, requestId)) + cost > dailyBudget) return overBudget;
      const nonce = await freeNonce(tx, address, now.expected);
      const one = { nonce, requestId, assetId: request.assetId, tenant, plannedBlock: now.head.number };
      const call = { nonce: one.nonce, to: registry.address, data: gaslessCall(locked, signature), gas };
      const attempt = await signing.call({ ...call, chainId: registry.chainId }, fees);
      await insertPlannedNonce(tx, address, one);
      await insertAttempt(tx, address, one, attempt);
      await postponeRelay(tx, requestId, { problem: undefined, seconds: 0 });
      return { one: { ...one, minedBlock: undefined, plannedAt: new Date(), attempts: [] }, attempt, cost };
    });
    return planned === overBudget ? wait(requestId, overBudget, 60) : planned;
  }

  return { estimate, plan };
}

/** Why the registry would refuse a call; a used nonce counts as the author's own act. */
function revertReasonOf(error: NodeError): string | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const nonceUsed: KnownReason = "NONCE_USED";
  const reverted: KnownReason = "REVERTED";
  const name = revertNameOf(error) ?? (/revert/i.test(error.said) ? reverted : undefined);
  return name === "INVALID_ACCOUNT_NONCE" ? nonceUsed : name;
}
