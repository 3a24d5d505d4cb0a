import type { Cursor } from "../../db/cursor.ts";
import { inTransaction, type Pool } from "../../db/pool.ts";
import { freeNonce, insertAttempt, insertPlannedNonce, type PlannedNonce } from "../../db/relayer-nonces.ts";
import { budgetUsed, lockBudget, postponeRelay, type WaitingRelay } from "../../db/relays.ts";
import { findRequest, lockRequest, type Request } from "../../db/requests.ts";
import { gaslessCall } from "../../domain/gasless.ts";
import type { KnownReason } from "../../domain/state.ts";
import { isSilence, RpcError } from "../errors.ts";
import type { Header, Node } from "../node.ts";
import { revertNameOf } from "../revert-reason.ts";
import type { DataFee } from "./data-fee.ts";
import { end, inTime, isOver } from "./ending.ts";
import { currentFees } from "./fees.ts";
import type { Signing, Unsent } from "./signing.ts";
import { overBudget, overMaxFee } from "./under-way.ts";

export const lowBalance = "the relayer's balance is too low";

type Now = { head: Header; cursor: Cursor; expected: number; available: bigint };
/** A nonce with its first transaction, stored and not sent, which costs at most so much. */
export type Planned = { one: PlannedNonce; attempt: Unsent; cost: bigint };

/** Plans what is to be sent for signatures that wait. */
export function createPlanning(
  { pool, node }: { pool: Pool; node: Node },
  signing: Signing,
  { dailyBudget, maxFee }: { dailyBudget: bigint; maxFee: bigint },
  dataFee: DataFee,
) {
  const { address } = signing;

  /** @returns the gas limit; undefined where the call cannot be made now, which is noted */
  async function gasOf(request: Request, waiting: WaitingRelay, { head, cursor }: Now) {
    const data = gaslessCall(request, waiting.signature);
    try {
      const call = { from: address, to: request.registry.address, data };
      return ((await node.estimateGas(call)) * 120n) / 100n;
    } catch (error) {
      if (!(error instanceof RpcError) || isSilence(error)) throw error;
      const reason = reasonOf(error);
      if (reason === undefined) return wait(request.id, "the node cannot estimate the call", 5);
      const since = Math.min(waiting.failingSince ?? head.number, head.number);
      // What a reorg can still change ends nothing.
      if (since <= cursor.finalNumber && (await end(pool, request.id, reason))) return undefined;
      return wait(request.id, `the registry would refuse the call: ${reason}`, 1, since);
    }
  }

  async function wait(id: string, problem: string | undefined, seconds: number, failingSince?: number) {
    await inTransaction(pool, (tx) => postponeRelay(tx, id, { problem, seconds, failingSince }));
    return undefined;
  }

  /** @returns undefined where nothing is to be sent now; why, where it is the relayer's fault */
  return async function plan(
    waiting: WaitingRelay,
    now: Now,
  ): Promise<Planned | typeof lowBalance | typeof overMaxFee | undefined> {
    const { requestId, signature } = waiting;
    const request = await findRequest(pool, requestId);
    if (request === undefined || isOver(request) || !inTime(request, now.head)) {
      return wait(requestId, undefined, 60);
    }
    const gas = await gasOf(request, waiting, now);
    if (gas === undefined) return undefined;
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
      if (locked === undefined || isOver(locked)) return undefined;
      await lockBudget(tx, tenant);
      if ((await budgetUsed(tx, tenant, requestId)) + cost > dailyBudget) return overBudget;
      const nonce = await freeNonce(tx, address, now.expected);
      const one = { nonce, requestId, tenant, plannedBlock: now.head.number };
      const call = { nonce: one.nonce, to: registry.address, data: gaslessCall(locked, signature), gas };
      const attempt = await signing.call({ ...call, chainId: registry.chainId }, fees);
      await insertPlannedNonce(tx, address, one);
      await insertAttempt(tx, address, one, attempt);
      await postponeRelay(tx, requestId, { problem: undefined, seconds: 0 });
      return { one: { ...one, minedBlock: undefined, plannedAt: new Date(), attempts: [] }, attempt, cost };
    });
    return planned === overBudget ? wait(requestId, overBudget, 60) : planned;
  };
}

/** Why the registry would refuse a call; a nonce of the author's that something else has used is their doing. */
function reasonOf(error: RpcError): string | undefined {
  const nonceUsed: KnownReason = "NONCE_USED";
  const reverted: KnownReason = "REVERTED";
  const name = revertNameOf(error) ?? (/revert/i.test(error.said) ? reverted : undefined);
  return name === "INVALID_ACCOUNT_NONCE" ? nonceUsed : name;
}
