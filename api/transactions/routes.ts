import { z } from "zod";
import type { Pool } from "../../db/core/pool.ts";
import { type RequestStatus, readTransaction, readTransactionStatuses } from "../../db/reads/transactions.ts";
import type { AuditEvent } from "../../db/service/audit.ts";
import { publicSignatures } from "../../db/service/relays/public-signatures.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { deriveState, isClosed } from "../../domain/request/state.ts";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { uuid } from "../operation/fields.ts";
import { invalidRequest } from "../operation/parse.ts";
import { signUrlOf } from "../operation/sign-url.ts";
import { type AfterAnswer, unknownTransaction } from "./known-request.ts";
import { commitRefusal, prepareRefusal } from "./refusal.ts";
import {
  refusal,
  refusalAnswer,
  statusQuery,
  submission,
  submissionAnswer,
  type TransactionStatusAnswer,
  transactionAnswer,
  transactionStatusAnswer,
} from "./schema.ts";
import {
  commitSubmission,
  hashOfSubmission,
  prepareSubmission,
  submissionEvents,
  turnOfSubmission,
} from "./submission.ts";
import { viewTransaction, viewTransactionStatus } from "./view.ts";

const params = z.object({ transactionId: uuid });

/** Codes of submissions that the chain would reject. */
const chainObstacles = [
  "NONCE_TOO_LOW",
  "NONCE_GAP",
  "NONCE_IN_USE",
  "INSUFFICIENT_FUNDS",
  "FEE_TOO_LOW",
  "GAS_TOO_LOW",
  "NODE_UNAVAILABLE",
] as const;

export const transactionRoutes = [
  readRoute({
    method: "get",
    path: "/transactions/status",
    summary:
      "Read how far several transactions are, without asking the chain's node: the way to wait for many",
    access: "capability",
    query: statusQuery,
    status: 200,
    answer: z.array(transactionStatusAnswer),
    errors: [],
    async handle({ query: { ids } }, { pool }) {
      if (ids === undefined) throw invalidRequest([{ field: "ids", message: "is missing" }]);
      const found = await readTransactionStatuses(pool, ids);
      return { value: await viewStatuses(pool, found), meta: { size: found.length } };
    },
  }),

  readRoute({
    method: "get",
    path: "/transactions/{transactionId}",
    summary: "Read what the author is asked to sign, and how far it is",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    status: 200,
    answer: transactionAnswer,
    errors: ["TRANSACTION_NOT_FOUND", "NODE_UNAVAILABLE"],
    async handle(
      { params: { transactionId } },
      { pool, chain: node, monitor, registryAddress, signatureLifetime, publicUrl },
    ) {
      const found = await readTransaction(pool, transactionId);
      if (found === undefined) throw unknownTransaction(transactionId);
      const { request, noted, queue } = found;
      const hasRelayer = found.hasRelayer && request.registry.address === registryAddress;
      const publicUntil = (await publicSignatures(pool, [request.id])).get(request.id);
      const gasless = { hasRelayer, lifetime: signatureLifetime, publicUntil };
      // Cached for a second; submissions are checked against the newest.
      const chain = { ...node, fees: () => monitor.share("fees", node.fees) };
      return { value: await viewTransaction(chain, request, noted, queue, { publicUrl, gasless }) };
    },
  }),

  readRoute({
    method: "get",
    path: "/transactions/{transactionId}/status",
    summary: "Read how far the transaction is, without asking the chain's node: the way to wait for it",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    status: 200,
    answer: transactionStatusAnswer,
    errors: ["TRANSACTION_NOT_FOUND"],
    async handle({ params: { transactionId } }, { pool, reads }) {
      const found = await reads.transaction(transactionId);
      if (found === undefined) throw unknownTransaction(transactionId);
      const [value] = await viewStatuses(pool, [found]);
      return { value: value as TransactionStatusAnswer };
    },
  }),

  writeRoute({
    method: "post",
    path: "/transactions/{transactionId}/submit",
    summary:
      "Hand in the signed transaction, the hash of one that the wallet sent itself, or a gasless signature",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    body: submission,
    status: 202,
    answer: submissionAnswer,
    errors: [
      "SIGNED_TRANSACTION_MALFORMED",
      "TRANSACTION_NOT_FOUND",
      "TRANSACTION_CLOSED",
      "WRONG_CHAIN",
      "REPLAYABLE_TRANSACTION",
      "UNSUPPORTED_TRANSACTION_TYPE",
      "TRANSACTION_MISMATCH",
      "SIGNER_MISMATCH",
      "SIGNATURE_INVALID",
      "RELAYER_DISABLED",
      "RELAYER_BUDGET_SPENT",
      "OTHER_WAY_TAKEN",
      "TOO_MANY_RELAYS",
      "TOO_MANY_AT_ONCE",
      ...chainObstacles,
    ],
    prepare: ({ params: { transactionId }, body }, services) =>
      prepareSubmission(services, transactionId, body),
    turn: turnOfSubmission,
    async commit(tx, plan, { publicUrl }) {
      const after = await commitSubmission(tx, plan);
      const { request } = after;
      const transactionHash = hashOfSubmission(plan) ?? request.transactionHash;
      return {
        answer: { value: { ...outcomeOf(request, publicUrl), transactionHash } },
        event: eventOf(submissionEvents[plan.way], after),
      };
    },
  }),

  writeRoute({
    method: "post",
    path: "/transactions/{transactionId}/revoke",
    summary: "Refuse the transaction with the author's signature",
    access: "capability",
    params,
    notFound: "TRANSACTION_NOT_FOUND",
    body: refusal,
    status: 200,
    answer: refusalAnswer,
    errors: [
      "TRANSACTION_NOT_FOUND",
      "TRANSACTION_CLOSED",
      "SIGNATURE_INVALID",
      "TOO_MANY_AT_ONCE",
      "NODE_UNAVAILABLE",
    ],
    prepare: ({ params: { transactionId: id }, body: { signature } }, services) =>
      prepareRefusal(services, { id, signature }),
    turn: ({ id }) => id,
    async commit(tx, plan, { publicUrl }) {
      const after = await commitRefusal(tx, plan);
      return {
        answer: { value: outcomeOf(after.request, publicUrl) },
        event: eventOf("transaction.refused", after),
      };
    },
  }),
];

function eventOf(kind: AuditEvent["kind"], { request, changed }: AfterAnswer): AuditEvent | undefined {
  const { id, assetId, author } = request;
  return changed ? { kind, about: [assetId, id], address: author } : undefined;
}

function outcomeOf({ id, assetId, facts }: Request, publicUrl: string) {
  return {
    id: assetId,
    transactionId: id,
    signUrl: signUrlOf(publicUrl, id),
    state: deriveState(facts).state,
  };
}

async function viewStatuses(pool: Pool, found: readonly RequestStatus[]): Promise<TransactionStatusAnswer[]> {
  const closed = found.filter(({ request }) => isClosed(request.facts)).map(({ request }) => request.id);
  const publicUntil = closed.length === 0 ? undefined : await publicSignatures(pool, closed);
  return found.map((one) => viewTransactionStatus(one, publicUntil?.get(one.request.id)));
}
