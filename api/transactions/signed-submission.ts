import type { Transaction } from "../../db/core/pool.ts";
import { findRelaySignature } from "../../db/service/relays/relays.ts";
import { recordState } from "../../db/service/requests/history.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { lockAuthor, readLine } from "../../db/service/transactions/nonce-queue.ts";
import { storeSigned } from "../../db/service/transactions/signed.ts";
import { type SubmissionReading, storeFirstAnswer } from "../../db/service/transactions/submissions.ts";
import { ApiError } from "../../domain/errors.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { type AfterAnswer, knownRequest, refuseClosed } from "./known-request.ts";
import type { CheckedTransaction } from "./signed-transaction.ts";
import { checkAgainstChain, type NoncesAsked, nonceProblem, withBlocker } from "./submission-checks.ts";

/** A checked signed transaction, valid while its author's nonces are as they were read. */
export type SignedPlan = {
  read: SubmissionReading;
  signed: CheckedTransaction & { description: string | undefined };
  /** Undefined where the nonce needs no check. */
  nonces: NoncesAsked | undefined;
};

/** Checks a signed transaction against the chain, unless it is stored already. */
export async function prepareSigned(
  { chain }: Pick<Dependencies, "chain">,
  read: SubmissionReading,
  signed: SignedPlan["signed"],
): Promise<SignedPlan> {
  const { request, held, stored } = read;
  if (stored.includes(signed.hash)) return { read, signed, nonces: undefined };
  refuseClosed(request, signed.hash);
  return { read, signed, nonces: await checkAgainstChain(chain, request, signed, held) };
}

/** Stores a signed transaction, which the indexer sends; a repetition succeeds without a change. */
export async function commitSigned(tx: Transaction, plan: SignedPlan): Promise<AfterAnswer> {
  const first = await commitFirst(tx, plan);
  return first === undefined ? await commitAny(tx, plan) : { request: first, changed: true };
}

/** The common case: the first answer, with a free nonce. */
async function commitFirst(
  tx: Transaction,
  { read, signed, nonces }: SignedPlan,
): Promise<Request | undefined> {
  const { request, held } = read;
  if (nonces === undefined || nonceProblem(request, signed, nonces, held) !== undefined) return undefined;
  return await storeFirstAnswer(tx, read, signed);
}

async function commitAny(tx: Transaction, { read, signed, nonces }: SignedPlan): Promise<AfterAnswer> {
  const { id, author } = read.request;
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
  return { request: await recordState(tx, id), changed };
}

/** See `refuseOtherWay` in relay.ts. */
async function refuseRelayed(tx: Transaction, { id, change }: Request): Promise<void> {
  if (change.kind === "create" || (await findRelaySignature(tx, id)) === undefined) return;
  throw new ApiError(
    "OTHER_WAY_TAKEN",
    "The relayer has the author's signature for this link change: wait for it, or cancel the signature on the chain.",
  );
}
