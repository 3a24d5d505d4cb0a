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
import type { RelayerObstacle, SignatureObstacle } from "../../domain/relayer/problem.ts";
import { isClosed, type KnownReason } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { revertNameOf } from "../../rpc/errors/execution-failure.ts";
import { NodeError, RpcError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import type { RequiredRepeats } from "../outbox/repeated-answer.ts";
import type { DataFee } from "./data-fee.ts";
import { inTime, recordFailedAttempt } from "./ending.ts";
import { currentFees } from "./fees.ts";
import type { Fees, Signing, Unsent } from "./signing.ts";

type Now = { head: Header; cursor: IndexPosition; expected: number; available: bigint };
/** A nonce with its first transaction, stored and not sent, and its highest cost. */
export type Planned = { one: PlannedNonce; attempt: Unsent; cost: bigint };
/** Gas limit of a request's call; or why it cannot be made; or that the request is closed. */
export type Estimate = { request: Request; gas: bigint } | { request: Request; reason: string } | "closed";

/** A planned transaction; or that nothing is sent now, and the obstacle where it is the relayer's. */
export type Plan = { planned?: Planned | undefined; obstacle?: RelayerObstacle };

/** The reason where the node cannot estimate the call and does not say why. */
const notEstimated: KnownReason = "NOT_ESTIMATED";
/** Estimates that fail so, over some minutes, until a request is given up. */
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
      return { request, reason: revertReasonOf(error) ?? notEstimated };
    }
  }

  async function recordFailure({ requestId, failures }: WaitingRelay, reason: string, head: Header) {
    const isUnknown = reason === notEstimated;
    const seconds = Math.min(longestPause, (isUnknown ? 5 : 1) * 2 ** failures);
    const enough = isUnknown ? { ...repeats, attempts: mostUnknown } : repeats;
    await recordFailedAttempt(pool, requestId, { reason, seconds, at: head.number }, enough);
  }

  const wait = (id: string, obstacle: SignatureObstacle | undefined, seconds: number) =>
    inTransaction(pool, (tx) => postponeRelay(tx, id, { obstacle, seconds }));

  /** Plans the transaction of a signature, or stores why it waits. */
  async function plan(waiting: WaitingRelay, estimated: Estimate, now: Now): Promise<Plan> {
    const { requestId, signature } = waiting;
    if (estimated === "closed" || !inTime(estimated.request, now.head)) {
      await wait(requestId, undefined, 60);
      return {};
    }
    if ("reason" in estimated) {
      await recordFailure(waiting, estimated.reason, now.head);
      return {};
    }
    const { request, gas } = estimated;
    // Otherwise the signature of a link change would stay public and unused.
    if (request.change.kind !== "create" && (await authorSends(pool, requestId))) {
      await wait(requestId, "AUTHOR_SENDS", 5);
      return {};
    }
    const current = await currentFees(node, now.head, maxFee);
    if (current === undefined) {
      await wait(requestId, "OVER_MAX_FEE", 5);
      return { obstacle: "OVER_MAX_FEE" };
    }
    const fees = { ...current, dataFee: await dataFee(gaslessCall(request, signature)) };
    const cost = gas * fees.maxFee + fees.dataFee;
    if (cost > now.available) {
      await wait(requestId, "LOW_BALANCE", 5);
      return { obstacle: "LOW_BALANCE" };
    }
    const planned = await store(waiting, { request, gas, fees, cost }, now);
    if (planned !== "OVER_BUDGET") return { planned };
    await wait(requestId, planned, 60);
    return {};
  }

  /** @returns undefined where the request was closed meanwhile */
  function store(
    { requestId, signature }: WaitingRelay,
    { request, gas, fees, cost }: { request: Request; gas: bigint; fees: Fees; cost: bigint },
    { head, expected }: Now,
  ): Promise<Planned | "OVER_BUDGET" | undefined> {
    const { tenant, registry, assetId } = request;
    return inTransaction(pool, async (tx) => {
      await lockRequest(tx, requestId);
      const locked = await findRequest(tx, requestId);
      if (locked === undefined || isClosed(locked.facts)) return undefined;
      await lockBudget(tx, tenant);
      if ((await budgetUsed(tx, tenant, requestId)) + cost > dailyBudget) return "OVER_BUDGET";
      const nonce = await freeNonce(tx, address, expected);
      const one = { nonce, requestId, assetId, tenant, plannedBlock: head.number };
      const call = { nonce, to: registry.address, data: gaslessCall(locked, signature), gas };
      const attempt = await signing.call({ ...call, chainId: registry.chainId }, fees);
      await insertPlannedNonce(tx, address, one);
      await insertAttempt(tx, address, one, attempt);
      await postponeRelay(tx, requestId, { obstacle: undefined, seconds: 0 });
      return { one: { ...one, minedBlock: undefined, plannedAt: new Date(), attempts: [] }, attempt, cost };
    });
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
