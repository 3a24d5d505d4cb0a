import type { Logger } from "pino";
import type { Cursor } from "../../db/cursor.ts";
import { inTransaction, type Pool } from "../../db/pool.ts";
import { insertAttempt, insertPlannedNonce, type PlannedNonce } from "../../db/relayer-nonces.ts";
import { budgetUsed, findRelay, lockBudget, postponeRelay } from "../../db/relays.ts";
import { findRequest, lockRequest, type Request } from "../../db/requests.ts";
import { gaslessCall } from "../../domain/gasless.ts";
import type { Header, Node } from "../node.ts";
import { end, inTime, isOver } from "./ending.ts";
import { currentFees, replacing } from "./fees.ts";
import { createSending } from "./sending.ts";
import type { Signing, Unsent } from "./signing.ts";

/** Blocks for which a transaction may wait at its fee. */
const stuckBlocks = 3;

export const overBudget = "the tenant's budget of today is spent";

type Dependencies = { pool: Pool; node: Node; log: Logger };
type Now = { head: Header; cursor: Cursor };
type Obstacle = "balance" | "fee";

/** Looks after the transactions of a relayer that no block has yet. */
export function createUnderWay(dependencies: Dependencies, signing: Signing, dailyBudget: bigint) {
  const { pool, node, log } = dependencies;
  const sendStored = createSending(dependencies);
  const { address } = signing;

  /** @returns what the node holds against it that another time, or fee, may mend */
  async function send(one: PlannedNonce, attempt: Unsent, { head }: Now): Promise<Obstacle | undefined> {
    const refusal = await sendStored(one, attempt, head);
    if (refusal?.kind === "later") return refusal.lowFee ? "fee" : undefined;
    if (refusal === undefined) return undefined;
    if (refusal.reason === "INSUFFICIENT_FUNDS") return "balance";
    // No node will take it, and none has one like it.
    const neverSent = one.attempts.every(({ sentBlock }) => sentBlock === undefined);
    if (one.requestId !== undefined && neverSent) await end(pool, one.requestId, refusal.reason);
    return undefined;
  }

  async function replace(one: PlannedNonce, by: Unsent, now: Now): Promise<Obstacle | undefined> {
    log.warn({ nonce: one.nonce, transaction: one.requestId, filler: by.filler }, "replaces a transaction");
    await inTransaction(pool, async (tx) => {
      if (one.requestId !== undefined) await lockRequest(tx, one.requestId);
      await insertAttempt(tx, address, one, by);
    });
    return send(one, by, now);
  }

  /** Whether a request may cost so much, the tenant's budget being what it is. */
  const isPayable = ({ id, tenant }: Request, cost: bigint): Promise<boolean> =>
    inTransaction(pool, async (tx) => {
      await lockBudget(tx, tenant);
      const payable = (await budgetUsed(tx, tenant, id)) + cost <= dailyBudget;
      await postponeRelay(tx, id, { problem: payable ? undefined : overBudget, seconds: 0 });
      return payable;
    });

  /**
   * Sends again what a node has lost, replaces what is stuck or not wanted any more.
   * @param all what is under way, in the order of the nonces
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
    const wanted = request !== undefined && !isOver(request) && inTime(request, head);
    const raised = async () => replacing(newest, await currentFees(node, head));
    const fill = async () =>
      replace(one, await signing.filler(cursor.chainId, one.nonce, await raised()), now);
    if (!wanted && !newest.filler) {
      // The index may have come on meanwhile: then it is this very nonce that made the change.
      const receipts = await Promise.all(one.attempts.map(({ hash }) => node.receipt(hash)));
      return receipts.every((receipt) => receipt === undefined) ? fill() : undefined;
    }
    // A node may throw away what is too cheap, and take it no more.
    const tooCheap = head.baseFeePerGas !== undefined && newest.maxFee < head.baseFeePerGas;
    if (!tooCheap) {
      const found = await node.transaction(newest.hash);
      if (found === undefined || newest.sentBlock === undefined) {
        const obstacle = await send(one, newest, now);
        // Only where the chain asks for more now: a node's word alone raises no fee.
        if (obstacle !== "fee" || newest.maxFee >= (await currentFees(node, head)).maxFee) return obstacle;
      } else if (one !== all[0] || head.number - newest.sentBlock < stuckBlocks) return undefined;
    }
    if (newest.filler || request === undefined) return fill();
    const relay = await findRelay(pool, request.id);
    if (relay === undefined) return undefined;
    const fees = await raised();
    if (!(await isPayable(request, newest.gas * fees.maxFee))) {
      // It waits for cheaper times or another day, but not at the cost of others. It gets another nonce then.
      const holdsUp = all.some(({ nonce, tenant }) => nonce > one.nonce && tenant !== request.tenant);
      return holdsUp ? fill() : undefined;
    }
    const { address: to, chainId } = request.registry;
    const data = gaslessCall(request, relay.signature);
    const call = { chainId, nonce: one.nonce, to, data, gas: newest.gas };
    return replace(one, await signing.call(call, fees), now);
  }

  /** Uses up nonces that nothing is planned for, below others that wait for them. */
  async function fillGaps(unmined: readonly PlannedNonce[], expected: number, now: Now): Promise<void> {
    const [taken, last] = [new Set(unmined.map(({ nonce }) => nonce)), unmined.at(-1)?.nonce ?? -1];
    for (let nonce = expected; nonce < last; nonce += 1) {
      if (taken.has(nonce)) continue;
      const filler = await signing.filler(now.cursor.chainId, nonce, await currentFees(node, now.head));
      const planned = { nonce, requestId: undefined, tenant: undefined };
      await inTransaction(pool, async (tx) => {
        await insertPlannedNonce(tx, address, planned);
        await insertAttempt(tx, address, planned, filler);
      });
      await send({ ...planned, minedBlock: undefined, attempts: [] }, filler, now);
    }
  }

  return { send, lookAfter, fillGaps };
}

export type UnderWay = ReturnType<typeof createUnderWay>;
