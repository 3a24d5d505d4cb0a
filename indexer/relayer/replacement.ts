import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { budgetUsed, lockBudget } from "../../db/service/relays/budget.ts";
import { type Attempt, costOf, type PlannedNonce } from "../../db/service/relays/relayer-nonces.ts";
import { findRelaySignature } from "../../db/service/relays/relays.ts";
import { postponeRelay } from "../../db/service/relays/waiting-relays.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { gaslessCall } from "../../domain/asset/gasless.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { isClosed } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";
import { inTime } from "./ending.ts";
import { currentFees, type RelayFees, replacing } from "./fees.ts";
import { type Fillers, mostFillerGas } from "./fillers.ts";
import { isUnderpriced, isUseless, nextStep, type Pending, raise, type Step } from "./next-step.ts";
import type { Signing } from "./signing.ts";
import { type Obstacle, obstacleOf, type Submitting } from "./submitting.ts";

type Dependencies = {
  pool: Pool;
  node: Node;
  signing: Signing;
  submitting: Submitting;
  fillers: Fillers;
  limits: { dailyBudget: bigint; maxFee: bigint };
};
type Now = { head: Header; cursor: IndexPosition };
/** A pending nonce with its newest transaction and its request, among all pending ones. */
type Turn = {
  one: PlannedNonce;
  newest: Attempt;
  request: Request | undefined;
  all: readonly PlannedNonce[];
  now: Now;
};

/** Resends and replaces pending transactions of a relayer. */
export function createReplacement({
  pool,
  node,
  signing,
  submitting,
  fillers,
  limits: { dailyBudget, maxFee },
}: Dependencies) {
  /** Reads what the next step depends on, and asks the node no more than that. */
  async function readPending({ one, newest, request, all, now: { head } }: Turn): Promise<Pending> {
    const isWanted = request !== undefined && !isClosed(request.facts) && inTime(request, head);
    const useless = isUseless({ isWanted, newest });
    const asksForIt = !useless && !isUnderpriced(newest, head);
    return {
      newest,
      attempts: one.attempts.length,
      isWanted,
      isMined: useless && (await hasReceipt(one)),
      isKnown: asksForIt && (await node.transaction(newest.hash)) !== undefined,
      isLowest: one === all[0],
    };
  }

  async function hasReceipt({ attempts }: PlannedNonce): Promise<boolean> {
    const receipts = await Promise.all(attempts.map(({ hash }) => node.receipt(hash)));
    return receipts.some((receipt) => receipt !== undefined);
  }

  /** Whether the tenant's budget covers the cost. */
  const isPayable = ({ id, tenant }: Request, cost: bigint): Promise<boolean> =>
    inTransaction(pool, async (tx) => {
      await lockBudget(tx, tenant);
      const payable = (await budgetUsed(tx, tenant, id)) + cost <= dailyBudget;
      await postponeRelay(tx, id, { obstacle: payable ? undefined : "OVER_BUDGET", seconds: 0 });
      return payable;
    });

  /** Fees for a replacement; undefined where the chain asks for more than the highest fee. */
  async function raisedFees(newest: Attempt, head: Header): Promise<RelayFees | undefined> {
    const current = await currentFees(node, head, maxFee);
    return current && replacing(newest, current, maxFee);
  }

  async function rebroadcast(turn: Turn): Promise<Obstacle | undefined> {
    const { one, newest, now } = turn;
    const objection = await submitting.submit(one, newest, now.head);
    if (objection === "gas" && newest.gas < mostFillerGas) {
      return fillers.fill(one, newest, newest, now, newest.gas * 2n);
    }
    if (objection === "fee") {
      // The node's word alone raises no fee: the chain's must be higher.
      const asked = (await currentFees(node, now.head, maxFee))?.maxFee ?? maxFee;
      if (newest.maxFee < asked) return take(raise(newest, now.head), turn);
    }
    return obstacleOf(objection);
  }

  async function bump({ one, newest, request, all, now }: Turn): Promise<Obstacle | undefined> {
    const signature = request && (await findRelaySignature(pool, request.id));
    if (request === undefined || signature === undefined) return undefined;
    const fees = await raisedFees(newest, now.head);
    if (fees === undefined) return "OVER_MAX_FEE";
    if (!(await isPayable(request, costOf({ ...newest, ...fees })))) {
      // It waits for lower fees or another day, and gets another nonce then, so that it delays no other.
      const holdsUp = all.some(({ nonce, tenant }) => nonce > one.nonce && tenant !== request.tenant);
      return holdsUp ? fillers.fill(one, newest, fees, now) : undefined;
    }
    const { address: to, chainId } = request.registry;
    const call = { chainId, nonce: one.nonce, to, data: gaslessCall(request, signature), gas: newest.gas };
    const bumped = await signing.call(call, { ...fees, dataFee: newest.dataFee });
    return submitting.replace(one, bumped, now.head);
  }

  async function take(step: Step, turn: Turn): Promise<Obstacle | undefined> {
    const { one, newest, now } = turn;
    switch (step) {
      case "keep":
        return undefined;
      case "rebroadcast":
        return rebroadcast(turn);
      case "bump":
        return bump(turn);
      case "fill":
        return fillers.fill(one, newest, await raisedFees(newest, now.head), now);
    }
  }

  /**
   * Takes the next step for a pending nonce.
   * @param all the pending ones, in the order of their nonces
   * @returns the obstacle where that fails
   */
  return async function advance(
    one: PlannedNonce,
    all: readonly PlannedNonce[],
    now: Now,
  ): Promise<Obstacle | undefined> {
    const newest = one.attempts.at(-1);
    if (newest === undefined) return undefined;
    const request = one.requestId === undefined ? undefined : await findRequest(pool, one.requestId);
    const turn: Turn = { one, newest, request, all, now };
    return take(nextStep(await readPending(turn), now.head), turn);
  };
}
