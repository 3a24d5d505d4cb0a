import type { Hash } from "viem";
import type { Transaction } from "../../db/core/pool.ts";
import type { AuditEvent } from "../../db/service/audit.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { readSubmission } from "../../db/service/transactions/submissions.ts";
import { ApiError } from "../../domain/errors.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { type AfterAnswer, unknownTransaction } from "./known-request.ts";
import { commitRelay, prepareRelay, type RelayPlan } from "./relay.ts";
import { commitReportedHash, type ReportedHashPlan } from "./reported-hash.ts";
import type { Submission } from "./schema.ts";
import { commitSigned, prepareSigned, type SignedPlan } from "./signed-submission.ts";
import { checkSigned } from "./signed-transaction.ts";

/** An author's answer, in one of its three forms. */
export type SubmissionPlan =
  | ({ way: "signed" } & SignedPlan)
  | ({ way: "hash" } & ReportedHashPlan)
  | ({ way: "relay" } & RelayPlan);

/** @throws ApiError TRANSACTION_NOT_FOUND, or the obstacle */
export async function prepareSubmission(
  services: Dependencies,
  id: string,
  body: Submission,
): Promise<SubmissionPlan> {
  const read = await readSubmission(services.pool, id);
  if (read === undefined) throw unknownTransaction(id);
  const { request } = read;
  if (body.signature !== undefined) {
    return { way: "relay", ...(await prepareRelay(services, request, body.signature)) };
  }
  if (body.transactionHash !== undefined) return { way: "hash", id, hash: body.transactionHash };
  const checked = await checkSigned(body.signedTransaction ?? "", request);
  refuseOtherSigner(body, request);
  const signed = { ...checked, description: body.description };
  return { way: "signed", ...(await prepareSigned(services, read, signed)) };
}

function refuseOtherSigner({ signerAddress }: Submission, { author }: Request): void {
  if (signerAddress === undefined || signerAddress === author) return;
  throw new ApiError(
    "SIGNER_MISMATCH",
    `signerAddress is ${signerAddress}, but ${author} signed it and is the author.`,
  );
}

export function commitSubmission(tx: Transaction, plan: SubmissionPlan): Promise<AfterAnswer> {
  if (plan.way === "signed") return commitSigned(tx, plan);
  return plan.way === "hash" ? commitReportedHash(tx, plan) : commitRelay(tx, plan);
}

/** Queue keys of an answer: its author, its request, or its tenant's relayer budget. */
export function turnOfSubmission(plan: SubmissionPlan): string {
  if (plan.way === "signed") return plan.read.request.author;
  return plan.way === "hash" ? plan.id : `relays of ${plan.known.tenant}`;
}

/** The hash in the answer; undefined for that of the request. */
export function hashOfSubmission(plan: SubmissionPlan): Hash | undefined {
  if (plan.way === "signed") return plan.signed.hash;
  return plan.way === "hash" ? plan.hash : undefined;
}

export const submissionEvents: Record<SubmissionPlan["way"], AuditEvent["kind"]> = {
  signed: "transaction.submitted",
  hash: "hash.reported",
  relay: "signature.submitted",
};
