import type { Logger } from "pino";
import type { Hex } from "viem";
import { noteStates } from "../db/history.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { findRequest, giveUp, requestsExpired } from "../db/requests.ts";
import { type Hint, hintsToCheck, postponeHint } from "../db/transaction-hints.ts";
import {
  isDropped,
  noteAccepted,
  noteForeign,
  noteMissing,
  noteProblem,
  noteRefused,
  noteSeen,
  reasonNotToSend,
  transactionsDue,
  type WatchedTransaction,
} from "../db/watched-transactions.ts";
import { deriveState, type KnownReason } from "../domain/state.ts";
import { isSilence, NodeError } from "./errors.ts";
import type { Node, NodeTransaction } from "./node.ts";
import { readSendError, type SendOutcome } from "./send-outcome.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };

/** Seconds until a transaction that the node has is looked at again: it may be dropped, or lost in a reorg. */
const nextLookSeconds = 5;
/** Seconds for which a node may be without a transaction, as one is that has just started, until that counts. */
const dropSeconds = 30;
const atOnce = 50;

/** Seconds until a transaction that the node did not take is sent again. */
const resendSeconds = (looks: number): number => Math.min(300, 2 ** Math.min(looks, 10) / 2);

/** Looks after transactions that are not on the chain: sends them, and sends them again where the node lost them. */
export function createWatch({ pool, node, log }: Dependencies) {
  const accepted = (requestId: string, hash: WatchedTransaction["hash"], nonce: number | undefined) =>
    inTransaction(pool, async (tx) => {
      await noteAccepted(tx, { hash, requestId, nonce, nextLookSeconds });
      await noteStates(tx, [requestId]);
    });

  const postpone = ({ hash, requestId }: WatchedTransaction, problem: string, seconds: number) =>
    inTransaction(pool, (tx) => noteProblem(tx, { hash, requestId, problem, nextLookSeconds: seconds }));

  async function send(sent: WatchedTransaction & { raw: Hex }): Promise<void> {
    try {
      await node.send(sent.raw);
    } catch (error) {
      if (isSilence(error)) throw error;
      const outcome = readSendError(error);
      // There are more words for having it, or having had it mined, than anybody knows: the node is asked.
      if (outcome.kind !== "known" && (await node.transaction(sent.hash)) === undefined) {
        return refused(sent, outcome);
      }
    }
    log.info({ hash: sent.hash, transaction: sent.requestId }, "sent a signed transaction");
    await accepted(sent.requestId, sent.hash, sent.nonce);
  }

  async function refused(sent: WatchedTransaction, outcome: Refusal): Promise<void> {
    const { hash, requestId } = sent;
    const problem = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
    log.warn({ hash, transaction: requestId, problem }, "the node did not take a transaction");
    const hopeless = reasonToGiveUp(sent, outcome);
    const lowFee = outcome.kind === "later" && outcome.lowFee;
    const look = { hash, requestId, nextLookSeconds: resendSeconds(sent.looks) };
    await inTransaction(pool, async (tx) => {
      const nothingLeft = await noteRefused(tx, { ...look, problem, lowFee, hopeless });
      if (hopeless === undefined || !nothingLeft) return;
      await giveUp(tx, requestId, hopeless);
      await noteStates(tx, [requestId]);
    });
  }

  async function look(watched: WatchedTransaction, baseFee: BaseFee): Promise<void> {
    const { raw, hash, requestId } = watched;
    const found = watched.accepted ? await node.transaction(hash) : undefined;
    if (found !== undefined) {
      // The nonce tells a later reorg apart from a cancel; of a wallet's own transaction only the node knows it.
      if (found.from !== watched.author.toLowerCase()) {
        return inTransaction(pool, (tx) => noteForeign(tx, { hash, requestId, nextLookSeconds }));
      }
      if (watched.nonce === undefined) return accepted(requestId, hash, found.nonce);
      const lowFee = await isBelow(found, baseFee);
      return inTransaction(pool, (tx) => noteSeen(tx, { hash, requestId, lowFee, nextLookSeconds }));
    }
    if (raw === undefined) return missing(watched);
    const stop = await reasonNotToSend(pool, watched);
    if (stop === undefined) return send({ ...watched, raw });
    await postpone(watched, `not sent: ${stop}`, nextLookSeconds);
  }

  /** A transaction that only its wallet can send again is given up when its time is over and it stays away. */
  async function missing({ hash, requestId, expired }: WatchedTransaction): Promise<void> {
    await inTransaction(pool, async (tx) => {
      await noteMissing(tx, { hash, requestId, nextLookSeconds });
      if (!expired || !(await isDropped(tx, requestId, dropSeconds))) return;
      const request = await findRequest(tx, requestId);
      if (request === undefined || deriveState(request.facts).state !== "Submitted") return;
      const reason: KnownReason = "DROPPED";
      await giveUp(tx, requestId, reason);
      await noteStates(tx, [requestId]);
    });
  }

  /** A reported hash counts once the node shows that it is the generated call by the author. */
  async function checkHint(hint: Hint): Promise<void> {
    const found = await node.transaction(hint.hash);
    const same =
      found !== undefined &&
      found.from === hint.author.toLowerCase() &&
      found.to === hint.registry.toLowerCase() &&
      found.input.toLowerCase() === hint.calldata &&
      found.value === 0n;
    if (same) await accepted(hint.requestId, hint.hash, found.nonce);
    else await inTransaction(pool, (tx) => postponeHint(tx, hint.requestId, hint.hash));
  }

  /**
   * Does a piece of work for one transaction. What the node says of it alone stops nobody else's; its silence
   * concerns all of them and ends the pass.
   */
  async function apart(
    work: () => Promise<void>,
    postponed: (problem: string) => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NodeError) || isSilence(error)) throw error;
      await postponed(error.message);
    }
  }

  /** Requests change by the clock too: unsigned ones expire. */
  async function noteExpired(): Promise<void> {
    const due = await requestsExpired(pool);
    if (due.length > 0) await inTransaction(pool, (tx) => noteStates(tx, due));
  }

  async function lookInOrder(ofOneAuthor: WatchedTransaction[], baseFee: BaseFee): Promise<void> {
    const inOrder = ofOneAuthor.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0));
    for (const watched of inOrder) {
      await apart(
        () => look(watched, baseFee),
        (problem) => postpone(watched, problem, resendSeconds(watched.looks)),
      );
    }
  }

  return {
    pass: async (): Promise<void> => {
      let asked: ReturnType<BaseFee> | undefined;
      const baseFee = () => (asked ??= node.header("latest").then((head) => head?.baseFeePerGas));
      // An author's transactions must arrive in the order of their nonces; authors do not wait for each other.
      const due = Object.values(Object.groupBy(await transactionsDue(pool, atOnce), ({ author }) => author));
      await everyone(due.map((ofOneAuthor) => lookInOrder(ofOneAuthor ?? [], baseFee)));
      const hints = await hintsToCheck(pool, atOnce);
      await everyone(
        hints.map((hint) =>
          apart(
            () => checkHint(hint),
            () => inTransaction(pool, (tx) => postponeHint(tx, hint.requestId, hint.hash)),
          ),
        ),
      );
      await noteExpired();
    },
  };
}

type Refusal = Exclude<SendOutcome, { kind: "known" }>;

/** Why a transaction that the node did not take is not sent again; undefined where it is. */
function reasonToGiveUp(sent: WatchedTransaction, outcome: Refusal): KnownReason | undefined {
  if (sent.accepted) return undefined;
  if (outcome.kind === "hopeless") return outcome.reason;
  if (!sent.expired) return undefined;
  return outcome.lowFee ? "FEE_TOO_LOW" : "NOT_ACCEPTED";
}

/** What a unit of gas costs at least in the newest block; undefined on a chain without a base fee. */
type BaseFee = () => Promise<bigint | undefined>;

async function isBelow({ blockHash, maxFee }: NodeTransaction, baseFee: BaseFee): Promise<boolean> {
  if (blockHash !== null || maxFee === undefined) return false;
  return maxFee < ((await baseFee()) ?? 0n);
}

/** Waits for all, and then fails as the first one that failed. */
async function everyone(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
