import type { Logger } from "pino";
import type { Hex } from "viem";
import { inTransaction, type Pool, type Transaction } from "../../db/core/pool.ts";
import { giveUp } from "../../db/service/requests/endings.ts";
import { findRequest, findRequestOutlines } from "../../db/service/requests/find.ts";
import { recordStates, recordStatesOf } from "../../db/service/requests/history.ts";
import { transactionsDue, type WatchedTransaction } from "../../db/service/transactions/due.ts";
import { isDropped, recordMissing, recordRejected } from "../../db/service/transactions/not-seen.ts";
import { type Hint, hintsToCheck, postponeHint } from "../../db/service/transactions/reported-hashes.ts";
import {
  type Accepted,
  recordAccepted,
  recordForeign,
  recordProblem,
  recordSeen,
  type Seen,
} from "../../db/service/transactions/seen.ts";
import { reasonsNotToSend, type Stop } from "../../db/service/transactions/sendable.ts";
import { deriveState, type KnownReason } from "../../domain/request/state.ts";
import type { NodeTransaction } from "../../rpc/calls/transactions.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import { type Rejection, readSendError } from "../../rpc/errors/send-outcome.ts";
import type { Node } from "../../rpc/node.ts";
import { batched } from "./batch.ts";
import { type Patience, sharedBlock, usualPatience } from "./repeated-answer.ts";

type Signed = WatchedTransaction & { raw: Hex };
type Dependencies = { pool: Pool; node: Node; log: Logger; patience?: Patience; nextLookSeconds?: number };

/** Seconds until an accepted transaction is checked again: it may be dropped, or lost in a reorg. */
const usualLookSeconds = 5;
const atOnce = 50;
/** Most reported hashes, which are unverified, that are looked up in one pass. */
const hintsAtOnce = 20;
const hintsOfOneRequest = 2;

/** Seconds until a rejected transaction is sent again. */
const resendSeconds = (looks: number): number => Math.min(300, 2 ** Math.min(looks, 10) / 2);

/** Sends transactions that are not on the chain, and sends them again where the node has dropped them. */
export function createWatch({
  pool,
  node,
  log,
  patience = usualPatience,
  nextLookSeconds = usualLookSeconds,
}: Dependencies) {
  /** Sends as one batch. @returns nothing where the node rejects the batch; each is sent alone then */
  const sendTogether = (raws: readonly Hex[]) =>
    node.sendTogether(raws).catch((error: unknown): boolean[] => {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      return [];
    });

  /** Sends those that may be sent. @returns for each why it was not sent, or whether the node accepted it */
  const offer = batched(async (all: readonly Signed[]): Promise<(Stop | boolean)[]> => {
    const stops = await reasonsNotToSend(pool, all);
    const allowed = all.filter((_, place) => stops[place] === undefined);
    const taken = allowed.length === 0 ? [] : await sendTogether(allowed.map(({ raw }) => raw));
    return all.map((one, place) => stops[place] ?? taken[allowed.indexOf(one)] === true);
  });
  const storeSeen = batched((looks: readonly Seen[]) =>
    inTransaction(pool, async (tx) => {
      await recordSeen(tx, ...looks);
      return looks;
    }),
  );
  const storeAccepted = batched((all: readonly Accepted[]) =>
    inTransaction(pool, async (tx) => {
      await recordAccepted(tx, ...all);
      await recordStatesOf(
        tx,
        await findRequestOutlines(
          tx,
          all.map(({ requestId }) => requestId),
        ),
      );
      return all;
    }),
  );

  async function accepted(requestId: string, hash: WatchedTransaction["hash"], nonce: number | undefined) {
    await storeAccepted({ hash, requestId, nonce, nextLookSeconds });
  }

  const postpone = ({ hash, requestId }: WatchedTransaction, problem: string, seconds: number) =>
    inTransaction(pool, (tx) => recordProblem(tx, { hash, requestId, problem, nextLookSeconds: seconds }));

  async function send(sent: Signed): Promise<void> {
    const offered = await offer(sent);
    if (typeof offered === "string") return postpone(sent, `not sent: ${offered}`, nextLookSeconds);
    try {
      // Sent alone for the error, if the batch did not accept it.
      if (!offered) await node.send(sent.raw);
    } catch (error) {
      if (isTransient(error)) throw error;
      const outcome = readSendError(error);
      // Nodes word "already known" in many ways, so the node is asked for the transaction.
      if (outcome.kind !== "known" && (await node.transaction(sent.hash)) === undefined) {
        return rejected(sent, outcome);
      }
    }
    log.info({ hash: sent.hash, asset: sent.assetId }, "transaction sent");
    await accepted(sent.requestId, sent.hash, sent.nonce);
  }

  async function rejected(sent: WatchedTransaction, outcome: Rejection): Promise<void> {
    const { hash, requestId, assetId } = sent;
    const problem = outcome.kind === "hopeless" ? outcome.reason : outcome.problem;
    log.warn({ hash, asset: assetId, err: { message: problem } }, "transaction rejected by node");
    const ending = reasonToGiveUp(sent, outcome);
    const lowFee = outcome.kind === "later" && outcome.lowFee;
    const at = ending === undefined ? undefined : await sharedBlock(pool, node);
    const rejection = {
      hash,
      requestId,
      nextLookSeconds: resendSeconds(sent.looks),
      problem,
      lowFee,
      ending,
      at,
    };
    await inTransaction(pool, async (tx) => {
      const left = await recordRejected(tx, rejection, patience);
      if (left === "again" || ending === undefined) return;
      if (left === "others left") return giveUpDropped(tx, sent, patience);
      await giveUp(tx, requestId, ending);
      await recordStates(tx, [requestId]);
    });
  }

  async function look(watched: WatchedTransaction, baseFee: BaseFee): Promise<void> {
    const { raw, hash, requestId } = watched;
    const found = watched.accepted ? await node.transaction(hash) : undefined;
    if (found !== undefined) {
      // The nonce of a transaction that the wallet sent is known from the node alone.
      if (found.from !== watched.author.toLowerCase()) {
        return inTransaction(pool, (tx) => recordForeign(tx, { hash, requestId, nextLookSeconds }));
      }
      if (watched.nonce === undefined) return accepted(requestId, hash, found.nonce);
      const lowFee = await isBelow(found, baseFee);
      await storeSeen({ hash, requestId, lowFee, nextLookSeconds });
      return;
    }
    if (raw === undefined) return missing(watched);
    await send({ ...watched, raw });
  }

  async function missing(watched: WatchedTransaction): Promise<void> {
    const { hash, requestId } = watched;
    const at = await sharedBlock(pool, node);
    await inTransaction(pool, async (tx) => {
      await recordMissing(tx, { hash, requestId, nextLookSeconds, at });
      await giveUpDropped(tx, watched, patience);
    });
  }

  /** Accepts a reported hash if the node has it as the generated call, sent by the author after the request. */
  async function checkHint(hint: Hint): Promise<void> {
    const found = await node.transaction(hint.hash);
    const same =
      found !== undefined &&
      found.from === hint.author.toLowerCase() &&
      found.to === hint.registry.toLowerCase() &&
      found.input.toLowerCase() === hint.calldata &&
      found.value === 0n &&
      (found.blockNumber ?? Number.POSITIVE_INFINITY) > (hint.afterBlock ?? -1);
    if (same) await accepted(hint.requestId, hint.hash, found.nonce);
    else await inTransaction(pool, (tx) => postponeHint(tx, hint.requestId, hint.hash));
  }

  /**
   * Runs `work` for one transaction. An error of this transaction does not stop the others; an unreachable node ends the
   * pass.
   */
  async function apart(
    work: () => Promise<void>,
    postponed: (problem: string) => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      await postponed(error.message);
    }
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

  async function lookAtDue(): Promise<void> {
    let asked: ReturnType<BaseFee> | undefined;
    const baseFee = () => (asked ??= node.header("latest").then((head) => head?.baseFeePerGas));
    // In nonce order for one author; authors in parallel.
    const due = Object.values(Object.groupBy(await transactionsDue(pool, atOnce), ({ author }) => author));
    await everyone(due.map((ofOneAuthor) => lookInOrder(ofOneAuthor ?? [], baseFee)));
  }

  async function lookForReported(): Promise<void> {
    const hints = await hintsToCheck(pool, hintsAtOnce, hintsOfOneRequest);
    await everyone(
      hints.map((hint) =>
        apart(
          () => checkHint(hint),
          () => inTransaction(pool, (tx) => postponeHint(tx, hint.requestId, hint.hash)),
        ),
      ),
    );
  }

  // In parallel, so that reported hashes do not delay signed transactions.
  return { pass: () => everyone([lookAtDue(), lookForReported()]) };
}

/** Gives up an expired request whose dropped transactions only wallets could send again. */
async function giveUpDropped(
  tx: Transaction,
  { requestId, expired }: WatchedTransaction,
  patience: Patience,
): Promise<void> {
  if (!expired || !(await isDropped(tx, requestId, patience))) return;
  const request = await findRequest(tx, requestId);
  if (request === undefined || deriveState(request.facts).state !== "Submitted") return;
  const reason: KnownReason = "DROPPED";
  await giveUp(tx, requestId, reason);
  await recordStates(tx, [requestId]);
}

/** Why a rejected transaction is not sent again; undefined where it is. */
function reasonToGiveUp(sent: WatchedTransaction, outcome: Rejection): KnownReason | undefined {
  if (sent.accepted) return undefined;
  if (outcome.kind === "hopeless") return outcome.reason;
  if (!sent.expired) return undefined;
  return outcome.lowFee ? "FEE_TOO_LOW" : "NOT_ACCEPTED";
}

/** Base fee of the newest block; undefined on a chain without one. */
type BaseFee = () => Promise<bigint | undefined>;

async function isBelow({ blockHash, maxFee }: NodeTransaction, baseFee: BaseFee): Promise<boolean> {
  if (blockHash !== null || maxFee === undefined) return false;
  return maxFee < ((await baseFee()) ?? 0n);
}

/** Waits for all. @throws the first failure */
async function everyone(works: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
