import type { Logger } from "pino";
import { type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Cursor, readCursor } from "../../db/cursor.ts";
import { noteStates } from "../../db/history.ts";
import { inTransaction, type Pool, type Transaction } from "../../db/pool.ts";
import {
  type Attempt,
  freeNonce,
  insertAttempt,
  insertPlannedNonce,
  noteAttemptSent,
  noteNonceMined,
  openNonces,
  type PlannedNonce,
} from "../../db/relayer-nonces.ts";
import {
  budgetUsed,
  findRelay,
  lockBudget,
  noteRelayer,
  postponeRelay,
  relaysDue,
  type WaitingRelay,
} from "../../db/relays.ts";
import { findRequest, giveUp, lockRequest, type Request } from "../../db/requests.ts";
import { noteAccepted } from "../../db/watched-transactions.ts";
import { deadlineOf, gaslessCall } from "../../domain/gasless.ts";
import { deriveState, isRevoked } from "../../domain/state.ts";
import { isSilence, NodeError, RpcError } from "../errors.ts";
import type { Header, Node } from "../node.ts";
import { revertNameOf } from "../revert-reason.ts";
import { readSendError } from "../send-outcome.ts";
import { currentFees, type RelayFees, replacing } from "./fees.ts";

export type RelayerSettings = { key: Hex; dailyBudget: bigint };
type Dependencies = { pool: Pool; node: Node; log: Logger };

/** Blocks for which a transaction may wait at its fee. */
const stuckBlocks = 3;
/** Nodes promise to keep so many of one account. */
const mostUnderWay = 16;
/** Blocks that the index may be behind while something is sent. */
const mostBehind = 5;
const fillerGas = 21_000n;
const atOnce = 50;

/** What a nonce can cost in wei: one of its transactions is executed. */
function mostOf({ attempts }: PlannedNonce): bigint {
  let most = 0n;
  for (const { gas, maxFee } of attempts) if (gas * maxFee > most) most = gas * maxFee;
  return most;
}

/** Ended, or its change is on the chain: nothing is to be sent for it any more. */
const isOver = ({ facts }: Request) => facts.effect !== undefined || isRevoked(deriveState(facts).state);

/** Sends what authors signed, and pays for it. The key stays in here. */
export function createRelayer({ pool, node, log }: Dependencies, { key, dailyBudget }: RelayerSettings) {
  const account = privateKeyToAccount(key);
  const { address } = account;
  let problem: string | undefined;

  async function sign(
    chainId: number,
    call: { nonce: number; to: Hex; data: Hex; gas: bigint; filler: boolean },
    fees: RelayFees,
  ): Promise<Omit<Attempt, "sentBlock">> {
    const { filler, ...rest } = call;
    const raw =
      fees.priorityFee === undefined
        ? await account.signTransaction({ ...rest, type: "legacy", chainId, gasPrice: fees.maxFee })
        : await account.signTransaction({
            ...rest,
            type: "eip1559",
            chainId,
            maxFeePerGas: fees.maxFee,
            maxPriorityFeePerGas: fees.priorityFee,
          });
    return { hash: keccak256(raw), raw, filler, gas: call.gas, ...fees };
  }

  const signFiller = (chainId: number, nonce: number, fees: RelayFees) =>
    sign(chainId, { nonce, to: address, data: "0x", gas: fillerGas, filler: true }, fees);

  /** Sends a stored transaction. What the node says of it concerns no other. */
  async function send(planned: PlannedNonce, attempt: Omit<Attempt, "sentBlock">, head: Header) {
    const { requestId } = planned;
    try {
      await node.send(attempt.raw);
    } catch (error) {
      if (!(error instanceof NodeError) || isSilence(error)) throw error;
      const outcome = readSendError(error);
      if (outcome.kind !== "known" && (await node.transaction(attempt.hash)) === undefined) {
        const said = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
        log.warn(
          { hash: attempt.hash, transaction: requestId, problem: said },
          "the relayer's was not taken",
        );
        if (said === "INSUFFICIENT_FUNDS") problem = "the relayer's balance is too low";
        return;
      }
    }
    log.info({ hash: attempt.hash, nonce: planned.nonce, transaction: requestId }, "relayed");
    await inTransaction(pool, async (tx) => {
      if (requestId !== undefined && !attempt.filler) {
        await noteAccepted(tx, { hash: attempt.hash, requestId, nonce: undefined, nextLookSeconds: 5 });
      }
      await noteAttemptSent(tx, attempt.hash, head.number);
      if (requestId !== undefined) await noteStates(tx, [requestId]);
    });
  }

  /** Reads which nonces a block has executed, what they cost, and what a reorg took back. */
  async function reconcile(planned: PlannedNonce[], expected: number, cursor: Cursor): Promise<void> {
    for (const one of planned) {
      if (one.nonce >= expected && one.minedBlock === undefined) continue;
      const receipts = await Promise.all(one.attempts.map(({ hash }) => node.receipt(hash)));
      const place = receipts.findIndex((receipt) => receipt !== undefined);
      const [receipt, attempt] = [receipts[place], one.attempts[place]];
      if (receipt === undefined || attempt === undefined) {
        if (one.minedBlock === undefined) continue;
        one.minedBlock = undefined;
        await inTransaction(pool, (tx) => noteNonceMined(tx, address, one.nonce, undefined));
        continue;
      }
      const block = receipt.blockNumber;
      const final = block <= cursor.finalNumber;
      if (one.minedBlock === block && !final) continue;
      one.minedBlock = block;
      const spent = receipt.paid ?? receipt.gasUsed * attempt.maxFee;
      await inTransaction(pool, (tx) => noteNonceMined(tx, address, one.nonce, { block, spent, final }));
    }
  }

  /** Sends again what a node has lost, replaces what is stuck or not wanted any more. */
  async function lookAfter(one: PlannedNonce, lowest: boolean, head: Header, cursor: Cursor): Promise<void> {
    const newest = one.attempts.at(-1);
    if (newest === undefined) return;
    const request = one.requestId === undefined ? undefined : await requestInTime(one.requestId, head);
    const unwanted = request === undefined || isOver(request);
    if (unwanted && !newest.filler) {
      const fees = replacing(newest, await currentFees(node, head));
      return replace(one, await signFiller(cursor.chainId, one.nonce, fees), head);
    }
    // A node may throw away what is too cheap, and take it no more.
    const tooCheap = head.baseFeePerGas !== undefined && newest.maxFee < head.baseFeePerGas;
    const waited = newest.sentBlock === undefined ? 0 : head.number - newest.sentBlock;
    const found = tooCheap ? undefined : await node.transaction(newest.hash);
    if (!tooCheap && (found === undefined || newest.sentBlock === undefined)) return send(one, newest, head);
    if (!tooCheap && !(lowest && waited >= stuckBlocks)) return;
    const fees = replacing(newest, await currentFees(node, head));
    if (newest.filler || request === undefined) {
      return replace(one, await signFiller(cursor.chainId, one.nonce, fees), head);
    }
    const relay = await findRelay(pool, request.id);
    if (relay === undefined) return;
    const data = gaslessCall(request, relay.signature);
    const call = { nonce: one.nonce, to: request.registry.address, data, gas: newest.gas, filler: false };
    await replace(one, await sign(request.registry.chainId, call, fees), head);
  }

  async function replace(one: PlannedNonce, by: Omit<Attempt, "sentBlock">, head: Header): Promise<void> {
    log.warn({ nonce: one.nonce, transaction: one.requestId, filler: by.filler }, "replaces a transaction");
    await inTransaction(pool, async (tx) => {
      if (one.requestId !== undefined) await lockRequest(tx, one.requestId);
      await insertAttempt(tx, address, one, by);
    });
    await send(one, by, head);
  }

  /** A signature whose time is over by the chain's clock can never take effect: the request ends. */
  async function requestInTime(id: string, head: Header): Promise<Request | undefined> {
    const request = await findRequest(pool, id);
    if (request === undefined || isOver(request) || deadlineOf(request) >= BigInt(head.timestamp))
      return request;
    return inTransaction(pool, (tx) => end(tx, id, "EXPIRED"));
  }

  async function end(tx: Transaction, id: string, reason: string): Promise<Request | undefined> {
    await lockRequest(tx, id);
    await giveUp(tx, id, reason);
    await noteStates(tx, [id]);
    return findRequest(tx, id);
  }

  async function fillGaps(unmined: PlannedNonce[], expected: number, head: Header, cursor: Cursor) {
    const [taken, last] = [new Set(unmined.map(({ nonce }) => nonce)), unmined.at(-1)?.nonce ?? -1];
    for (let nonce = expected; nonce < last; nonce += 1) {
      if (taken.has(nonce)) continue;
      const filler = await signFiller(cursor.chainId, nonce, await currentFees(node, head));
      const planned = { nonce, requestId: undefined, tenant: undefined };
      await inTransaction(pool, async (tx) => {
        await insertPlannedNonce(tx, address, planned);
        await insertAttempt(tx, address, planned, filler);
      });
      await send({ ...planned, minedBlock: undefined, attempts: [] }, filler, head);
    }
  }

  type Now = { head: Header; cursor: Cursor; expected: number; available: bigint };

  /** @returns what the transaction may cost at most; 0 where none is sent */
  async function begin(waiting: WaitingRelay, { head, cursor, expected, available }: Now): Promise<bigint> {
    const { requestId, signature } = waiting;
    const wait = async (why: string | undefined, seconds: number, failingSince?: number) => {
      await inTransaction(pool, (tx) =>
        postponeRelay(tx, requestId, { problem: why, seconds, failingSince }),
      );
      return 0n;
    };
    const request = await requestInTime(requestId, head);
    if (request === undefined || isOver(request)) return wait(undefined, 60);
    const call = { from: address, to: request.registry.address, data: gaslessCall(request, signature) };
    let gas: bigint;
    try {
      gas = ((await node.estimateGas(call)) * 120n) / 100n;
    } catch (error) {
      if (!(error instanceof RpcError) || isSilence(error)) throw error;
      const reason = revertNameOf(error) ?? (/revert/i.test(error.said) ? "REVERTED" : undefined);
      if (reason === undefined) return wait("the node cannot estimate the call", 5);
      const since = Math.min(waiting.failingSince ?? head.number, head.number);
      // What a reorg can still change ends nothing.
      if (since > cursor.finalNumber) return wait(`the registry would refuse the call: ${reason}`, 1, since);
      await inTransaction(pool, (tx) => end(tx, requestId, reason));
      return 0n;
    }
    const fees = await currentFees(node, head);
    const cost = gas * fees.maxFee;
    if (cost > available) {
      problem = "the relayer's balance is too low";
      return wait(problem, 5);
    }
    const planned = await inTransaction(pool, async (tx) => {
      await lockRequest(tx, requestId);
      const locked = await findRequest(tx, requestId);
      if (locked === undefined || isOver(locked)) return undefined;
      await lockBudget(tx, request.tenant);
      if ((await budgetUsed(tx, request.tenant, requestId)) + cost > dailyBudget) return "over budget";
      const nonce = await freeNonce(tx, address, expected);
      const attempt = await sign(
        request.registry.chainId,
        { nonce, to: call.to, data: call.data, gas, filler: false },
        fees,
      );
      await insertPlannedNonce(tx, address, { nonce, requestId, tenant: request.tenant });
      await insertAttempt(tx, address, { nonce, requestId }, attempt);
      await postponeRelay(tx, requestId, { problem: undefined, seconds: 0 });
      return { nonce, attempt };
    });
    if (planned === "over budget") return wait("the tenant's budget of today is spent", 60);
    if (planned === undefined) return 0n;
    // A refusal may have come since.
    const still = await findRequest(pool, requestId);
    if (still === undefined || isOver(still)) return cost;
    const { nonce, attempt } = planned;
    await send({ nonce, requestId, minedBlock: undefined, attempts: [] }, attempt, head);
    return cost;
  }

  return {
    pass: async (): Promise<void> => {
      // All is judged as of the block that the index stands on: beside another one, an effect that a reorg has
      // just removed would look as if it held.
      const cursor = await readCursor(pool);
      if (cursor === undefined || cursor.haltedReason !== undefined) return;
      if (cursor.headNumber - cursor.blockNumber > mostBehind) return;
      const head = await node.header(Math.max(0, cursor.blockNumber));
      if (head === undefined || head.hash !== cursor.blockHash) return;
      const [balance, counted] = await Promise.all([node.balance(address), node.nonceAt(address, head.hash)]);
      const [before, expected] = [problem, Number(counted)];
      problem = undefined;
      const planned = await openNonces(pool, address);
      await reconcile(planned, expected, cursor);
      const unmined = planned.filter(
        ({ nonce, minedBlock }) => minedBlock === undefined && nonce >= expected,
      );
      for (const [place, one] of unmined.entries()) await lookAfter(one, place === 0, head, cursor);
      let available = balance - unmined.reduce((sum, one) => sum + mostOf(one), 0n);
      let free = mostUnderWay - unmined.length;
      for (const waiting of await relaysDue(pool, atOnce)) {
        if (free <= 0) break;
        const cost = await begin(waiting, { head, cursor, expected, available });
        available -= cost;
        if (cost > 0n) free -= 1;
      }
      await fillGaps(unmined, expected, head, cursor);
      if (problem !== undefined && problem !== before) log.error({ address, problem }, "the relayer waits");
      const now = { address, balance, dailyBudget, problem };
      await inTransaction(pool, (tx) => noteRelayer(tx, now));
    },
  };
}
