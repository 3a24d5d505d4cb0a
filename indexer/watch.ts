import type { Logger } from "pino";
import { noteStates } from "../db/history.ts";
import { inTransaction, type Pool } from "../db/pool.ts";
import { giveUp, requestsExpired } from "../db/requests.ts";
import {
  hintsToCheck,
  noteAccepted,
  noteProblem,
  transactionsDue,
  type WatchedTransaction,
} from "../db/transactions.ts";
import { backOff, NodeError } from "./errors.ts";
import type { Node } from "./node.ts";
import { readSendError } from "./send-outcome.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };

/** Seconds until a transaction that the node has is looked at again: it may be dropped, or lost in a reorg. */
const nextLookSeconds = 5;
const atOnce = 50;

/** The node says nothing about this transaction, and would say nothing about the next ones either. */
const isSilence = (error: unknown): boolean =>
  error instanceof NodeError && ["unreachable", "timeout", "rate_limited"].includes(error.reason);

/** Looks after transactions that are not on the chain: sends them, and sends them again where the node lost them. */
export function createWatch({ pool, node, log }: Dependencies) {
  async function accepted(requestId: string, hash: WatchedTransaction["hash"], nonce: number | undefined) {
    await inTransaction(pool, async (tx) => {
      await noteAccepted(tx, { hash, requestId, nonce, nextLookSeconds });
      await noteStates(tx, [requestId]);
    });
  }

  async function send(
    sent: WatchedTransaction & { raw: NonNullable<WatchedTransaction["raw"]> },
  ): Promise<void> {
    try {
      await node.send(sent.raw);
      log.info({ hash: sent.hash, transaction: sent.requestId }, "sent a signed transaction");
      return accepted(sent.requestId, sent.hash, sent.nonce);
    } catch (error) {
      if (isSilence(error)) {
        await inTransaction(pool, (tx) => noteProblem(tx, sent.hash, "the node does not answer", 1));
        throw error;
      }
      const outcome = readSendError(error);
      if (outcome.kind === "known") return accepted(sent.requestId, sent.hash, sent.nonce);
      const problem = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
      log.warn(
        { hash: sent.hash, transaction: sent.requestId, problem },
        "the node did not take a transaction",
      );
      if (outcome.kind === "later" || sent.accepted) {
        return inTransaction(pool, (tx) => noteProblem(tx, sent.hash, problem, backOff(sent.looks)));
      }
      await inTransaction(pool, async (tx) => {
        await noteProblem(tx, sent.hash, problem, backOff(sent.looks));
        await giveUp(tx, sent.requestId, outcome.reason);
        await noteStates(tx, [sent.requestId]);
      });
    }
  }

  async function look(watched: WatchedTransaction): Promise<void> {
    const { raw } = watched;
    const unseen = !watched.accepted || (await node.transaction(watched.hash)) === undefined;
    if (unseen && raw !== undefined && !watched.stopped) return send({ ...watched, raw });
    const problem = unseen ? "the node does not have it" : undefined;
    await inTransaction(pool, (tx) => noteProblem(tx, watched.hash, problem, nextLookSeconds));
  }

  /** A reported hash counts once the node shows that it is the generated call by the author. */
  async function checkHints(): Promise<void> {
    for (const hint of await hintsToCheck(pool, atOnce)) {
      const found = await node.transaction(hint.hash);
      const same =
        found !== undefined &&
        found.from === hint.author.toLowerCase() &&
        found.to === hint.registry.toLowerCase() &&
        found.input.toLowerCase() === hint.calldata &&
        found.value === 0n;
      if (same) await accepted(hint.requestId, hint.hash, found.nonce);
    }
  }

  /** Requests change by the clock too: unsigned ones expire. */
  async function noteExpired(): Promise<void> {
    const due = await requestsExpired(pool);
    if (due.length > 0) await inTransaction(pool, (tx) => noteStates(tx, due));
  }

  return {
    pass: async (): Promise<void> => {
      // In order of storing: an author's transactions must arrive in the order of their nonces.
      for (const watched of await transactionsDue(pool, atOnce)) await look(watched);
      await checkHints();
      await noteExpired();
    },
  };
}
