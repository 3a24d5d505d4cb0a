import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { budgetUsed, lockBudget } from "../../db/service/relays/budget.ts";
import {
  type Attempt,
  costOf,
  insertAttempt,
  insertPlannedNonce,
  mostOf,
  type PlannedNonce,
} from "../../db/service/relays/relayer-nonces.ts";
import { gasLimitFor, higher, lower } from "../../domain/fees.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import type { DataFee } from "./data-fee.ts";
import { currentFees, type RelayFees, replacing, within } from "./fees.ts";
import type { Signing } from "./signing.ts";
import type { Obstacle, Submitting } from "./submitting.ts";

/** Highest plausible gas of an empty transaction. */
export const mostFillerGas = 10_000_000n;
const usualFillerGas = 21_000n;

type Dependencies = {
  pool: Pool;
  node: Node;
  signing: Signing;
  submitting: Submitting;
  dataFee: DataFee;
  limits: { dailyBudget: bigint; maxFee: bigint };
};
type Now = { head: Header; cursor: IndexPosition };

export type Fillers = ReturnType<typeof createFillers>;

/** Sends empty transactions, which only use a nonce up, so that later nonces are mined. */
export function createFillers({
  pool,
  node,
  signing,
  submitting,
  dataFee,
  limits: { dailyBudget, maxFee },
}: Dependencies) {
  const { address } = signing;

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
    return higher(usualFillerGas, lower(mostFillerGas, gasLimitFor(estimated)));
  }

  /**
   * Replaces the newest transaction of a nonce by an empty one.
   * @param fees undefined where the chain asks for more than the highest fee
   * @param gas its gas limit, if it is known
   */
  async function fill(
    one: PlannedNonce,
    newest: Attempt,
    fees: RelayFees | undefined,
    { head, cursor }: Now,
    gas?: bigint,
  ): Promise<Obstacle | undefined> {
    if (fees === undefined) return "OVER_MAX_FEE";
    const limit = gas ?? (await fillerGas());
    const data = await dataFee("0x");
    const most = ((await allowance(one)) - data) / limit;
    // Below the current fee it replaces the other and waits for lower fees.
    const least = replacing(newest, { maxFee: 0n, priorityFee: 0n }, maxFee);
    const payable = fees.maxFee <= most ? fees : least && within(fees, least, most);
    const isUseless = newest.filler && (payable?.maxFee ?? 0n) < (head.baseFeePerGas ?? 0n);
    if (payable === undefined || isUseless) return "OVER_BUDGET";
    const place = { chainId: cursor.chainId, nonce: one.nonce };
    const filler = await signing.filler(place, limit, { ...payable, dataFee: data });
    return submitting.replace(one, filler, head);
  }

  /**
   * Fills gaps below nonces that wait for them.
   * @returns the obstacle that prevents it
   */
  async function fillGaps(
    unmined: readonly PlannedNonce[],
    expected: number,
    { head, cursor }: Now,
  ): Promise<Obstacle | undefined> {
    const [taken, last] = [new Set(unmined.map(({ nonce }) => nonce)), unmined.at(-1)?.nonce ?? -1];
    for (let nonce = expected; nonce < last; nonce += 1) {
      if (taken.has(nonce)) continue;
      const fees = await currentFees(node, head, maxFee);
      if (fees === undefined) return "OVER_MAX_FEE";
      const gas = await fillerGas();
      const place = { chainId: cursor.chainId, nonce };
      const filler = await signing.filler(place, gas, { ...fees, dataFee: await dataFee("0x") });
      const planned = {
        nonce,
        requestId: undefined,
        assetId: undefined,
        tenant: undefined,
        plannedBlock: head.number,
        attempts: [],
      };
      if (costOf(filler) > (await allowance(planned))) return "OVER_BUDGET";
      await inTransaction(pool, async (tx) => {
        await insertPlannedNonce(tx, address, planned);
        await insertAttempt(tx, address, planned, filler);
      });
      await submitting.submit(planned, filler, head);
    }
    return undefined;
  }

  return { fill, fillGaps };
}
