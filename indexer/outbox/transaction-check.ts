import type { Logger } from "pino";
import type { Hex } from "viem";
import { inTransaction, type Pool, type Transaction } from "../../db/core/pool.ts";
import { giveUp } from "../../db/service/requests/endings.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { recordStates } from "../../db/service/requests/history.ts";
import type { WatchedTransaction } from "../../db/service/transactions/due.ts";
import { isDropped, recordMissing, recordRejected } from "../../db/service/transactions/not-seen.ts";
import { reasonsNotToSend, type Stop } from "../../db/service/transactions/sendable.ts";
import { deriveState, type KnownReason } from "../../domain/request/state.ts";
import type { NodeTransaction } from "../../rpc/calls/transactions.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import { type Rejection, readSendError } from "../../rpc/errors/send-outcome.ts";
import type { Node } from "../../rpc/node.ts";
import type { OutboxStore } from "./outbox-store.ts";
import { type RequiredRepeats, sharedBlock } from "./repeated-answer.ts";
import { serialBatches } from "./serial-batches.ts";

type Signed = WatchedTransaction & { raw: Hex };
type Dependencies = {
  pool: Pool;
  node: Node;
  log: Logger;
  store: OutboxStore;
  repeats: RequiredRepeats;
  nextAttemptSeconds: number;
};

/** Base fee of the newest block; undefined on a chain without one. */
export type BaseFee = () => Promise<bigint | undefined>;

/** Seconds until a transaction is tried again after so many failures in a row. */
export const retrySeconds = (failures: number): number => Math.min(300, 2 ** Math.min(failures, 10) / 2);

/** Creates the check of one transaction: sends it where the node does not have it, and stores what the node said. */
export function createTransactionCheck({
  pool,
  node,
  log,
  store,
  repeats,
  nextAttemptSeconds,
}: Dependencies) {
  /** Sends as one batch. @returns nothing where the node rejects the batch; each is sent alone then */
  const sendTogether = (raws: readonly Hex[]) =>
    node.sendTogether(raws).catch((error: unknown): boolean[] => {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      return [];
    });

  /** Sends those that may be sent. @returns for each why it was not sent, or whether the node accepted it */
  const offer = serialBatches(async (all: readonly Signed[]): Promise<(Stop | boolean)[]> => {
    const stops = await reasonsNotToSend(pool, all);
    const allowed = all.filter((_, place) => stops[place] === undefined);
    const taken = allowed.length === 0 ? [] : await sendTogether(allowed.map(({ raw }) => raw));
    return all.map((one, place) => stops[place] ?? taken[allowed.indexOf(one)] === true);
  });

  async function send(sent: Signed): Promise<void> {
    const offered = await offer(sent);
    if (typeof offered === "string") return store.postponed(sent, `not sent: ${offered}`);
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
    await store.accepted(sent, sent.nonce);
  }

  async function rejected(sent: WatchedTransaction, rejection: Rejection): Promise<void> {
    const { hash, requestId, assetId } = sent;
    const problem = rejection.kind === "hopeless" ? rejection.reason : rejection.problem;
    log.warn({ hash, asset: assetId, err: { message: problem } }, "transaction rejected by node");
    const ending = reasonToGiveUp(sent, rejection);
    const check = {
      hash,
      requestId,
      nextAttemptSeconds: retrySeconds(sent.failures),
      problem,
      lowFee: rejection.kind === "later" && rejection.lowFee,
      ending,
      at: ending === undefined ? undefined : await sharedBlock(pool, node),
    };
    await inTransaction(pool, async (tx) => {
      const left = await recordRejected(tx, check, repeats);
      if (left === "again" || ending === undefined) return;
      if (left === "others left") return giveUpDropped(tx, sent, repeats);
      await giveUp(tx, requestId, ending);
      await recordStates(tx, [requestId]);
    });
  }

  async function missing(watched: WatchedTransaction): Promise<void> {
    const { hash, requestId } = watched;
    const at = await sharedBlock(pool, node);
    await inTransaction(pool, async (tx) => {
      await recordMissing(tx, { hash, requestId, nextAttemptSeconds, at });
      await giveUpDropped(tx, watched, repeats);
    });
  }

  return async (watched: WatchedTransaction, baseFee: BaseFee): Promise<void> => {
    const { raw, hash } = watched;
    const found = watched.accepted ? await node.transaction(hash) : undefined;
    if (found === undefined) return raw === undefined ? missing(watched) : send({ ...watched, raw });
    // The nonce of a transaction that the wallet sent is known from the node alone.
    if (found.from !== watched.author.toLowerCase()) return store.foreign(watched);
    if (watched.nonce === undefined) return store.accepted(watched, found.nonce);
    await store.seen(watched, await isBelow(found, baseFee));
  };
}

/** Gives up an expired request whose dropped transactions only wallets could send again. */
async function giveUpDropped(
  tx: Transaction,
  { requestId, expired }: WatchedTransaction,
  repeats: RequiredRepeats,
): Promise<void> {
  if (!expired || !(await isDropped(tx, requestId, repeats))) return;
  const request = await findRequest(tx, requestId);
  if (request === undefined || deriveState(request.facts).state !== "Submitted") return;
  const reason: KnownReason = "DROPPED";
  await giveUp(tx, requestId, reason);
  await recordStates(tx, [requestId]);
}

/** Why a rejected transaction is not sent again; undefined where it is. */
function reasonToGiveUp(sent: WatchedTransaction, rejection: Rejection): KnownReason | undefined {
  if (sent.accepted) return undefined;
  if (rejection.kind === "hopeless") return rejection.reason;
  if (!sent.expired) return undefined;
  return rejection.lowFee ? "FEE_TOO_LOW" : "NOT_ACCEPTED";
}

async function isBelow({ blockHash, maxFee }: NodeTransaction, baseFee: BaseFee): Promise<boolean> {
  if (blockHash !== null || maxFee === undefined) return false;
  return maxFee < ((await baseFee()) ?? 0n);
}
