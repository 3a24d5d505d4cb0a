import { type Hash, type Hex, hashTypedData } from "viem";
import { type Database, inTransaction, type Transaction } from "../../db/core/pool.ts";
import { findRelay } from "../../db/service/relays/relays.ts";
import { storeRefusal } from "../../db/service/requests/endings.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import { noteState } from "../../db/service/requests/history.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { lockAuthor, readLine } from "../../db/service/transactions/nonce-queue.ts";
import { storeHint } from "../../db/service/transactions/reported-hashes.ts";
import { storeSigned } from "../../db/service/transactions/signed.ts";
import {
  readSubmission,
  type SubmissionReading,
  storeFirstAnswer,
} from "../../db/service/transactions/submissions.ts";
import { refusalTypedData } from "../../domain/asset/typed-data.ts";
import { ApiError } from "../../domain/errors.ts";
import { deriveState } from "../../domain/request/state.ts";
import type { Chain } from "../../rpc/api/chain.ts";
import { NodeUnavailableError } from "../../rpc/api/nodes.ts";
import type { AnswerTo } from "../assets/creation.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { createTurns } from "../operation/in-turn.ts";
import { checkSignature } from "./signature.ts";
import type { CheckedTransaction } from "./signed-transaction.ts";
import { checkAgainstChain, nonceProblem, withBlocker } from "./submission-checks.ts";
import { isClosed } from "./view.ts";

/** @throws ApiError TRANSACTION_NOT_FOUND */
export async function knownRequest(db: Database, id: string): Promise<Request> {
  const request = await findRequest(db, id);
  if (request !== undefined) return request;
  throw unknownTransaction(id);
}

export function unknownTransaction(id: string): ApiError {
  return new ApiError("TRANSACTION_NOT_FOUND", `There is no transaction ${id}.`);
}

/** @throws ApiError TRANSACTION_NOT_FOUND */
export async function readForSubmission(db: Database, id: string): Promise<SubmissionReading> {
  const read = await readSubmission(db, id);
  if (read !== undefined) return read;
  throw unknownTransaction(id);
}

/** Stores a signed transaction; the indexer sends what is stored. The same one again is the same success. */
export async function storeSubmission<Result>(
  services: Dependencies,
  read: SubmissionReading,
  signed: CheckedTransaction & { description: string | undefined },
  answer: AnswerTo<Result>,
): Promise<Result> {
  const { request: known, held: heldBefore } = read;
  const { id, author } = known;
  const wasStored = read.stored.includes(signed.hash);
  if (!wasStored) refuseClosed(known, signed.hash);
  // Before the database's transaction, which must not wait for a node.
  const nonces = wasStored ? undefined : await checkAgainstChain(services.chain, known, signed, heldBefore);

  /** What nearly all are: the first answer, with a nonce that nothing speaks against. */
  async function storeFirst(tx: Transaction): Promise<{ answered: Result } | undefined> {
    if (nonces === undefined || nonceProblem(known, signed, nonces, heldBefore) !== undefined)
      return undefined;
    const after = await storeFirstAnswer(tx, read, signed);
    return after && { answered: await answer(tx, after, true) };
  }

  async function storeAny(tx: Transaction): Promise<Result> {
    await lockAuthor(tx, author);
    await lockRequest(tx, id);
    const request = await knownRequest(tx, id);
    const { isStored, held } = await readLine(tx, request, signed.hash);
    if (!isStored) {
      refuseClosed(request, signed.hash);
      await refuseRelayed(tx, request);
      const problem = nonces && nonceProblem(request, signed, nonces, held);
      if (problem !== undefined) throw await withBlocker(tx, request, problem);
    }
    const changed = await storeSigned(tx, id, signed);
    return await answer(tx, await noteState(tx, id), changed);
  }

  const store = async (tx: Transaction): Promise<Result> => {
    const first = await storeFirst(tx);
    return first === undefined ? await storeAny(tx) : first.answered;
  };
  return await inTurn(author, () => inTransaction(services.pool, store));
}

/** Of each author, and of each request: before the locks in the database, which keep processes apart. */
const inTurn = createTurns();

/** See `refuseOtherWay` in relay.ts. */
async function refuseRelayed(tx: Transaction, { id, change }: Request): Promise<void> {
  if (change.kind === "create" || (await findRelay(tx, id)) === undefined) return;
  throw new ApiError(
    "OTHER_WAY_TAKEN",
    "The relayer has the author's signature for this link change: wait for it, or cancel the signature on the chain.",
  );
}

/** Notes the hash of a transaction that the author's wallet sent by itself; it proves nothing. */
export async function storeReportedHash<Result>(
  { pool }: Dependencies,
  id: string,
  hash: Hash,
  answer: AnswerTo<Result>,
): Promise<Result> {
  const store = async (tx: Transaction): Promise<Result> => {
    await lockRequest(tx, id);
    const request = await knownRequest(tx, id);
    refuseClosed(request, hash);
    const isNew = !isClosed(request) && (await storeHint(tx, id, hash));
    return await answer(tx, await knownRequest(tx, id), isNew);
  };
  return await inTurn(id, () => inTransaction(pool, store));
}

/** Stores the author's refusal. Signed by them again, it is the same success. */
export async function refuse<Result>(
  services: Dependencies,
  request: Request,
  signature: Hex,
  answer: AnswerTo<Result>,
): Promise<Result> {
  const { id, assetId: asset, author: signer, registry } = request;
  const hash = hashTypedData(refusalTypedData(registry, { transactionId: id, asset }));
  await checkSignature(services.chain, { signer, hash, signature });
  await refuseInBlock(services.chain, request);
  const store = async (tx: Transaction): Promise<Result> => {
    await lockRequest(tx, id);
    const locked = await knownRequest(tx, id);
    if (locked.facts.refused && deriveState(locked.facts).state === "RevokedByUser") {
      return await answer(tx, locked, false);
    }
    refuseClosed(locked, undefined);
    await storeRefusal(tx, id, signature);
    return await answer(tx, await noteState(tx, id), !locked.facts.refused);
  };
  return await inTurn(id, () => inTransaction(services.pool, store));
}

/** The node knows of a block before the index does. Without its answer the index decides, and the chain in the end. */
async function refuseInBlock(chain: Chain, { facts, transactionHash }: Request): Promise<void> {
  // A hash that was only reported proves nothing.
  if (!(facts.signed || facts.accepted) || facts.refused || transactionHash === undefined) return;
  const place = await chain.placeOf(transactionHash).catch((error: unknown) => {
    if (error instanceof NodeUnavailableError) return undefined;
    throw error;
  });
  if (place?.in !== "block") return;
  throw new ApiError(
    "TRANSACTION_CLOSED",
    `It cannot be refused any more: its transaction ${transactionHash} is in a block.`,
  );
}

/** A closed request takes nothing more, except news of the very transaction that closed it. */
export function refuseClosed(request: Request, hash: Hash | undefined): void {
  if (!isClosed(request) || (hash !== undefined && request.transactionHash === hash)) return;
  const { state, reason } = deriveState(request.facts);
  const why = reason === undefined ? state : `${state}, ${reason}`;
  throw new ApiError("TRANSACTION_CLOSED", `This transaction takes nothing more: its state is ${why}.`);
}
