import type { Logger } from "pino";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { budgetUsed, lockBudget } from "../../db/service/relays/budget.ts";
import {
  costOf,
  insertAttempt,
  insertPlannedNonce,
  mostOf,
  type PlannedNonce,
} from "../../db/service/relays/relayer-nonces.ts";
import { findRelay } from "../../db/service/relays/relays.ts";
import { postponeRelay } from "../../db/service/relays/waiting-relays.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { gaslessCall } from "../../domain/asset/gasless.ts";
import { gasLimitFor, higher } from "../../domain/fees.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { isClosed } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import type { RequiredRepeats } from "../outbox/repeated-answer.ts";
import type { DataFee } from "./data-fee.ts";
import { fail, inTime } from "./ending.ts";
import { currentFees, type RelayFees, replacing, within } from "./fees.ts";
import { createSending } from "./sending.ts";
import type { Signing, Unsent } from "./signing.ts";

/** Blocks until the fee of a pending transaction is raised; doubles with each raise. */
const stuckBlocks = 3;
const longestWait = 6;
/** Oldest head in seconds at which fees are raised; with an older one the node is cut off. */
const staleHead = 300;
/** Blocks and time after which the lowest nonce counts as stuck, although its fee is high enough. */
const held = { blocks: 10, seconds: 300 };
/** Highest plausible gas of an empty transaction. */
const mostFillerGas = 10_000_000n;
const usualFillerGas = 21_000n;

export const overBudget = "the tenant's budget of today is spent";
export const overMaxFee = "the chain asks for more than RELAYER_MAX_FEE";

type Dependencies = { pool: Pool; node: Node; log: Logger; repeats: RequiredRepeats };
type Now = { head: Header; cursor: IndexPosition };
type Limits = { dailyBudget: bigint; maxFee: bigint };
type Obstacle = "balance" | "fee" | "gas" | "budget";

/** Resends and replaces pending transactions of a relayer. */
export function createUnderWay(
  dependencies: Dependencies,
  signing: Signing,
  { dailyBudget, maxFee }: Limits,
  dataFee: DataFee,
) {
  const { pool, node, log, repeats } = dependencies;
  const sendStored = createSending(dependencies);
  const { address } = signing;

  /** @returns the node's objection, if another time, fee or gas limit may change it */
  async function send(
    one: Pick<PlannedNonce, "nonce" | "requestId" | "assetId" | "attempts">,
    attempt: Unsent,
    { head }: Now,
  ): Promise<Obstacle | undefined> {
    const rejection = await sendStored(one, attempt, head);
    if (rejection?.kind === "later") return rejection.lowFee ? "fee" : undefined;
    if (rejection === undefined) return undefined;
    if (rejection.reason === "INSUFFICIENT_FUNDS") return "balance";
    if (attempt.filler) return rejection.reason === "GAS_TOO_LOW" ? "gas" : undefined;
    // No node accepts it, and none has it.
    const neverSent = one.attempts.every(({ sentBlock }) => sentBlock === undefined);
    if (one.requestId !== undefined && neverSent) {
      const failure = { problem: `the node rejects it: ${rejection.reason}`, seconds: 0, at: head.number };
      await fail(pool, one.requestId, rejection.reason, failure, repeats);
    }
    return undefined;
  }

  async function replace(one: PlannedNonce, by: Unsent, now: Now): Promise<Obstacle | undefined> {
    log.warn(
      { hash: by.hash, nonce: one.nonce, asset: one.assetId, filler: by.filler },
      "relayer transaction replaced",
    );
    await inTransaction(pool, async (tx) => {
      if (one.requestId !== undefined) await lockRequest(tx, one.requestId);
      await insertAttempt(tx, address, one, by);
    });
    return send(one, by, now);
  }

  /** Whether the tenant's budget covers the cost. */
  const isPayable = ({ id, tenant }: Request, cost: bigint): Promise<boolean> =>
    inTransaction(pool, async (tx) => {
      await lockBudget(tx, tenant);
      const payable = (await budgetUsed(tx, tenant, id)) + cost <= dailyBudget;
      await postponeRelay(tx, id, { problem: payable ? undefined : overBudget, seconds: 0 });
      return payable;
    });

  /** Highest cost of a nonce to be used up: the cost counted for it, or the rest of the budget if that is more. */
  function allowance(one: Pick<PlannedNonce, "nonce" | "tenant" | "attempts">): Promise<bigint> {
    return inTransaction(pool, async (tx) => {
      await lockBudget(tx, one.tenant);
      const used = await budgetUsed(tx, one.tenant, { relayer: address, nonce: one.nonce });
      return higher(dailyBudget - used, mostOf(one));
    });
  }

  /** Gas of an empty transaction, which some rollups charge more for. */
  async function fillerGas(): Promise<bigint> {
    const call = { from: address, to: address, data: "0x" } as const;
    const estimated = await node.estimateGas(call).catch((error: unknown) => {
      if (error instanceof NodeError && !isTransient(error)) return 0n;
      throw error;
    });
    const gas = gasLimitFor(estimated);
    if (gas > mostFillerGas) return mostFillerGas;
    return gas > usualFillerGas ? gas : usualFillerGas;
  }

  /**
   * Sends dropped transactions again, and replaces those that are stuck or no longer needed.
   * @param all the pending ones, in the order of their nonces
   */
  async function lookAfter(
    one: PlannedNonce,
    all: readonly PlannedNonce[],
    now: Now,
  ): Promise<Obstacle | undefined> {
    const { head, cursor } = now;
    const newest = one.attempts.at(-1);
    if (newest === undefined) return undefined;
    const request = one.requestId === undefined ? undefined : await findRequest(pool, one.requestId);
    const wanted = request !== undefined && !isClosed(request.facts) && inTime(request, head);
    const raised = async (): Promise<RelayFees | undefined> => {
      const current = await currentFees(node, head, maxFee);
      return current && replacing(newest, current, maxFee);
    };
    const fill = async (fees: RelayFees | undefined, gas?: bigint): Promise<Obstacle | undefined> => {
      if (fees === undefined) return "fee";
      const limit = gas ?? (await fillerGas());
      const data = await dataFee("0x");
      const most = ((await allowance(one)) - data) / limit;
      // Below the current fee it replaces the other and waits for lower fees.
      const least = replacing(newest, { maxFee: 0n, priorityFee: 0n }, maxFee);
      const payable = fees.maxFee <= most ? fees : least && within(fees, least, most);
      const isUseless = newest.filler && (payable?.maxFee ?? 0n) < (head.baseFeePerGas ?? 0n);
      if (payable === undefined || isUseless) return "budget";
      const place = { chainId: cursor.chainId, nonce: one.nonce };
      return replace(one, await signing.filler(place, limit, { ...payable, dataFee: data }), now);
    };
    if (!wanted && !newest.filler) {
      // The index may have advanced meanwhile, and this very nonce have made the change.
      const receipts = await Promise.all(one.attempts.map(({ hash }) => node.receipt(hash)));
      return receipts.every((receipt) => receipt === undefined) ? fill(await raised()) : undefined;
    }
    // A node may drop an underpriced transaction and reject it from then on.
    const tooCheap = head.baseFeePerGas !== undefined && newest.maxFee < head.baseFeePerGas;
    const isCutOff = Date.now() / 1000 - head.timestamp > staleHead;
    if (!tooCheap) {
      const found = await node.transaction(newest.hash);
      if (found === undefined || newest.sentBlock === undefined) {
        const obstacle = await send(one, newest, now);
        if (obstacle === "gas" && newest.gas < mostFillerGas) return fill(newest, newest.gas * 2n);
        if (obstacle !== "fee") return obstacle;
        // Only if the chain's fee is higher now; a node's rejection alone raises no fee.
        const asked = (await currentFees(node, head, maxFee))?.maxFee ?? maxFee;
        if (newest.maxFee >= asked) return obstacle;
      } else if (one !== all[0] || isCutOff || head.number - newest.sentBlock < patienceOf(one)) {
        return undefined;
      }
    }
    if (isCutOff) return undefined;
    if (newest.filler || request === undefined) return fill(await raised());
    const relay = await findRelay(pool, request.id);
    if (relay === undefined) return undefined;
    const fees = await raised();
    if (fees === undefined) return "fee";
    if (!(await isPayable(request, costOf({ ...newest, ...fees })))) {
      // It waits for lower fees or another day, and gets another nonce then, so that it delays no other.
      const holdsUp = all.some(({ nonce, tenant }) => nonce > one.nonce && tenant !== request.tenant);
      return holdsUp ? fill(fees) : undefined;
    }
    const { address: to, chainId } = request.registry;
    const data = gaslessCall(request, relay.signature);
    const call = { chainId, nonce: one.nonce, to, data, gas: newest.gas };
    return replace(one, await signing.call(call, { ...fees, dataFee: newest.dataFee }), now);
  }

  /**
   * Fills gaps below nonces that wait for them.
   * @returns the problem that prevents it
   */
  async function fillGaps(
    unmined: readonly PlannedNonce[],
    expected: number,
    now: Now,
  ): Promise<Obstacle | undefined> {
    const [taken, last] = [new Set(unmined.map(({ nonce }) => nonce)), unmined.at(-1)?.nonce ?? -1];
    for (let nonce = expected; nonce < last; nonce += 1) {
      if (taken.has(nonce)) continue;
      const fees = await currentFees(node, now.head, maxFee);
      if (fees === undefined) return "fee";
      const place = { chainId: now.cursor.chainId, nonce };
      const filler = await signing.filler(place, await fillerGas(), {
        ...fees,
        dataFee: await dataFee("0x"),
      });
      const planned = {
        nonce,
        requestId: undefined,
        assetId: undefined,
        tenant: undefined,
        plannedBlock: now.head.number,
        attempts: [],
      };
      if (costOf(filler) > (await allowance(planned))) return "budget";
      await inTransaction(pool, async (tx) => {
        await insertPlannedNonce(tx, address, planned);
        await insertAttempt(tx, address, planned, filler);
      });
      await send(planned, filler, now);
    }
    return undefined;
  }

  return { send, lookAfter, fillGaps };
}

const patienceOf = ({ attempts }: PlannedNonce): number =>
  stuckBlocks * 2 ** Math.min(attempts.length - 1, longestWait);

/** The next nonce of the relayer, if it has not been mined for long and so blocks all later ones. */
export function stuckNonce(
  unmined: readonly PlannedNonce[],
  expected: number,
  head: Header,
): { nonce: number; since: Date } | undefined {
  const lowest = unmined.find(({ nonce }) => nonce === expected);
  if (lowest === undefined) return undefined;
  const blocks = head.number - (lowest.plannedBlock ?? head.number);
  const seconds = (Date.now() - lowest.plannedAt.getTime()) / 1000;
  if (blocks < held.blocks && seconds < held.seconds) return undefined;
  return { nonce: lowest.nonce, since: lowest.plannedAt };
}

export type UnderWay = ReturnType<typeof createUnderWay>;
