import { z } from "zod";
import { historyOf } from "../../db/history.ts";
import { inSnapshot } from "../../db/pool.ts";
import type { Request } from "../../db/requests.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { deriveState } from "../../domain/state.ts";
import { address, signature, text, transactionHash, uuid, wrongType } from "../fields.ts";
import { route } from "../route.ts";
import { checkSigned } from "../signed-transaction.ts";
import { state } from "../status-view.ts";
import { knownRequest, refuse, storeReportedHash, storeSubmission } from "../submission.ts";
import { transactionAnswer, viewTransaction } from "../transaction-view.ts";

const params = z.object({ transactionId: uuid });

const submission = z
  .strictObject({
    signedTransaction: z.string({ error: wrongType("a signed transaction in 0x hex") }).optional(),
    signerAddress: address.optional(),
    description: text(limits.note).optional(),
    transactionHash: transactionHash.optional(),
  })
  .superRefine((body, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (body.signedTransaction === undefined && body.transactionHash === undefined) {
      complain("signedTransaction", "is missing, and so is transactionHash: send one of them");
    }
    if (body.transactionHash === undefined) return;
    for (const field of ["signedTransaction", "signerAddress", "description"] as const) {
      if (body[field] !== undefined) complain(field, "cannot go with transactionHash");
    }
  })
  .meta({ id: "Submission" });
type Submission = z.output<typeof submission>;

const outcome = {
  id: z.string().meta({ description: "The asset" }),
  transactionId: z.string(),
  state,
};

export const transactionRoutes = [
  route({
    method: "get",
    path: "/transactions/{transactionId}",
    summary: "Read what the author is asked to sign, and how far it is",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    status: 200,
    answer: transactionAnswer,
    errors: ["TRANSACTION_NOT_FOUND", "NODE_UNAVAILABLE"],
    async handle({ params: { transactionId } }, { pool, chain }) {
      const [request, noted] = await inSnapshot(pool, async (snapshot) => [
        await knownRequest(snapshot, transactionId),
        await historyOf(snapshot, transactionId),
      ]);
      return { value: await viewTransaction(chain, request, noted) };
    },
  }),

  route({
    method: "post",
    path: "/transactions/{transactionId}/submit",
    summary: "Hand in the signed transaction, or the hash of one that the wallet sent itself",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    body: submission,
    status: 202,
    answer: z.strictObject({ ...outcome, transactionHash: z.string() }),
    errors: [
      "SIGNED_TRANSACTION_MALFORMED",
      "TRANSACTION_NOT_FOUND",
      "TRANSACTION_CLOSED",
      "WRONG_CHAIN",
      "REPLAYABLE_TRANSACTION",
      "UNSUPPORTED_TRANSACTION_TYPE",
      "TRANSACTION_MISMATCH",
      "SIGNER_MISMATCH",
    ],
    async handle({ params: { transactionId }, body }, services) {
      const request = await knownRequest(services.pool, transactionId);
      if (body.transactionHash !== undefined) {
        const after = await storeReportedHash(services, transactionId, body.transactionHash);
        return { value: { ...outcomeOf(after), transactionHash: body.transactionHash } };
      }
      const checked = await checkSubmission(body, request);
      const { description } = body;
      const after = await storeSubmission(services, transactionId, { ...checked, description });
      return { value: { ...outcomeOf(after), transactionHash: checked.hash } };
    },
  }),

  route({
    method: "post",
    path: "/transactions/{transactionId}/revoke",
    summary: "Refuse the transaction with the author's signature",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    body: z.strictObject({ signature }).meta({ id: "Refusal" }),
    status: 200,
    answer: z.strictObject(outcome),
    errors: ["TRANSACTION_NOT_FOUND", "TRANSACTION_CLOSED", "SIGNATURE_INVALID", "NODE_UNAVAILABLE"],
    async handle({ params: { transactionId }, body }, services) {
      const request = await knownRequest(services.pool, transactionId);
      return { value: outcomeOf(await refuse(services, request, body.signature)) };
    },
  }),
];

function outcomeOf(request: Request) {
  return { id: request.assetId, transactionId: request.id, state: deriveState(request.facts).state };
}

async function checkSubmission({ signedTransaction = "", signerAddress }: Submission, request: Request) {
  const checked = await checkSigned(signedTransaction, request);
  if (signerAddress === undefined || signerAddress === request.author) return checked;
  throw new ApiError(
    "SIGNER_MISMATCH",
    `signerAddress is ${signerAddress}, but ${request.author} signed it and is the author.`,
  );
}
