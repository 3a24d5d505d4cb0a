import type { Logger } from "pino";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { transactionsDue, type WatchedTransaction } from "../../db/service/transactions/due.ts";
import {
  postponeReportedHash,
  type ReportedHash,
  reportedHashesDue,
} from "../../db/service/transactions/reported-hashes.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import { createOutboxStore } from "./outbox-store.ts";
import { type RequiredRepeats, usualRepeats } from "./repeated-answer.ts";
import { type BaseFee, createTransactionCheck, retrySeconds } from "./transaction-check.ts";

type Dependencies = {
  pool: Pool;
  node: Node;
  log: Logger;
  repeats?: RequiredRepeats;
  nextAttemptSeconds?: number;
};

/** Seconds until an accepted transaction is checked again: it may be dropped, or lost in a reorg. */
const usualCheckSeconds = 5;
/** Most transactions of one pass. */
const transactionsAtOnce = 50;
/** Most reported hashes, which are unverified, of one pass, and of one request. */
const reportedAtOnce = 20;
const reportedOfOneRequest = 2;

/** Sends transactions that are not on the chain, and sends them again where the node has dropped them. */
export function createWatch({
  pool,
  node,
  log,
  repeats = usualRepeats,
  nextAttemptSeconds = usualCheckSeconds,
}: Dependencies) {
  const store = createOutboxStore(pool, nextAttemptSeconds);
  const check = createTransactionCheck({ pool, node, log, store, repeats, nextAttemptSeconds });

  async function checkInOrder(ofOneAuthor: WatchedTransaction[], baseFee: BaseFee): Promise<void> {
    const inOrder = ofOneAuthor.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0));
    for (const watched of inOrder) {
      await apart(
        () => check(watched, baseFee),
        (problem) => store.postponed(watched, problem, retrySeconds(watched.failures)),
      );
    }
  }

  async function checkDue(): Promise<void> {
    let asked: ReturnType<BaseFee> | undefined;
    const baseFee = () => (asked ??= node.header("latest").then((head) => head?.baseFeePerGas));
    const due = await transactionsDue(pool, transactionsAtOnce);
    // In nonce order for one author; authors in parallel.
    const byAuthor = Map.groupBy(due, ({ author }) => author);
    await everyone([...byAuthor.values()].map((ofOneAuthor) => checkInOrder(ofOneAuthor, baseFee)));
  }

  /** Accepts a reported hash if the node has it as the generated call, sent by the author after the request. */
  async function checkReported(reported: ReportedHash): Promise<void> {
    const found = await node.transaction(reported.hash);
    const same =
      found !== undefined &&
      found.from === reported.author.toLowerCase() &&
      found.to === reported.registry.toLowerCase() &&
      found.input.toLowerCase() === reported.calldata &&
      found.value === 0n &&
      (found.blockNumber ?? Number.POSITIVE_INFINITY) > (reported.afterBlock ?? -1);
    if (same) await store.accepted(reported, found.nonce);
    else await postpone(reported);
  }

  const postpone = ({ requestId, hash }: ReportedHash) =>
    inTransaction(pool, (tx) => postponeReportedHash(tx, requestId, hash));

  async function checkAllReported(): Promise<void> {
    const due = await reportedHashesDue(pool, reportedAtOnce, reportedOfOneRequest);
    await everyone(
      due.map((reported) =>
        apart(
          () => checkReported(reported),
          () => postpone(reported),
        ),
      ),
    );
  }

  // In parallel, so that reported hashes do not delay signed transactions.
  return { pass: () => everyone([checkDue(), checkAllReported()]) };
}

/**
 * Runs `work` for one transaction. An error of this transaction does not stop the others; an unreachable node ends the
 * pass.
 */
async function apart(work: () => Promise<void>, postpone: (problem: string) => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NodeError) || isTransient(error)) throw error;
    await postpone(error.message);
  }
}

/** Waits for all. @throws the first failure */
async function everyone(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
