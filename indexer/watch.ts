import type { Logger } from "pino";
import type { Hex } from "viem";
import { noteStates } from "../db/history.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { giveUp, requestsExpired } from "../db/requests.ts";
import {
  type Hint,
  hintsToCheck,
  isStopped,
  noteAccepted,
  noteProblem,
  postponeHint,
  transactionsDue,
  type WatchedTransaction,
} from "../db/transactions.ts";
import type { KnownReason } from "../domain/state.ts";
import { isSilence, NodeError } from "./errors.ts";
import type { Node } from "./node.ts";
import { readSendError, type SendOutcome } from "./send-outcome.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };

/** Seconds until a transaction that the node has is looked at again: it may be dropped, or lost in a reorg. */
const nextLookSeconds = 5;
const atOnce = 50;

/** Seconds until a transaction that the node did not take is sent again. */
const resendSeconds = (looks: number): number => Math.min(300, 2 ** Math.min(looks, 10) / 2);

/** Looks after transactions that are not on the chain: sends them, and sends them again where the node lost them. */
export function createWatch({ pool, node, log }: Dependencies) {
  async function accepted(requestId: string, hash: WatchedTransaction["hash"], nonce: number | undefined) {
    await inTransaction(pool, async (tx) => {
      await noteAccepted(tx, { hash, requestId, nonce, nextLookSeconds });
      await noteStates(tx, [requestId]);
    });
  }

  const postpone = ({ hash }: WatchedTransaction, problem: string | undefined, seconds: number) =>
    inTransaction(pool, (tx) => noteProblem(tx, hash, problem, seconds));

  async function send(sent: WatchedTransaction & { raw: Hex }): Promise<void> {
    try {
      await node.send(sent.raw);
      log.info({ hash: sent.hash, transaction: sent.requestId }, "sent a signed transaction");
      return accepted(sent.requestId, sent.hash, sent.nonce);
    } catch (error) {
      if (isSilence(error)) throw error;
      const outcome = readSendError(error);
      if (outcome.kind === "known") return accepted(sent.requestId, sent.hash, sent.nonce);
      const problem = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
      log.warn(
        { hash: sent.hash, transaction: sent.requestId, problem },
        "the node did not take a transaction",
      );
      const reason = reasonToGiveUp(sent, outcome);
      await inTransaction(pool, async (tx) => {
        await noteProblem(tx, sent.hash, problem, resendSeconds(sent.looks));
        if (reason === undefined) return;
        await giveUp(tx, sent.requestId, reason);
        await noteStates(tx, [sent.requestId]);
      });
    }
  }

  async function look(watched: WatchedTransaction): Promise<void> {
    const { raw, hash, requestId } = watched;
    const found = watched.accepted ? await node.transaction(hash) : undefined;
    if (found !== undefined) {
      // The nonce tells a later reorg apart from a cancel; of a wallet's own transaction only the node knows it.
      if (watched.nonce === undefined) return accepted(requestId, hash, found.nonce);
      return postpone(watched, undefined, nextLookSeconds);
    }
    if (raw !== undefined && !(await isStopped(pool, requestId))) return send({ ...watched, raw });
    await postpone(watched, "the node does not have it", nextLookSeconds);
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

  async function lookInOrder(ofOneAuthor: WatchedTransaction[]): Promise<void> {
    const inOrder = ofOneAuthor.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0));
    for (const watched of inOrder) {
      await apart(
        () => look(watched),
        (problem) => postpone(watched, problem, resendSeconds(watched.looks)),
      );
    }
  }

  return {
    pass: async (): Promise<void> => {
      // An author's transactions must arrive in the order of their nonces; authors do not wait for each other.
      const due = Object.values(Object.groupBy(await transactionsDue(pool, atOnce), ({ author }) => author));
      await everyone(due.map((ofOneAuthor) => lookInOrder(ofOneAuthor ?? [])));
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

/** Why a transaction that the node did not take is not sent again; undefined where it is. */
function reasonToGiveUp(sent: WatchedTransaction, outcome: SendOutcome): KnownReason | undefined {
  if (sent.accepted) return undefined;
  if (outcome.kind === "hopeless") return outcome.reason;
  return sent.expired ? "NOT_ACCEPTED" : undefined;
}

/** Waits for all, and then fails as the first one that failed. */
async function everyone(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
