import { encodeFunctionData, formatEther, numberToHex } from "viem";
import type { RequestStatus } from "../../db/reads/transactions.ts";
import type { HistoryEntry } from "../../db/service/requests/history.ts";
import type { Request } from "../../db/service/requests/request.ts";
import type { AuthorQueue } from "../../db/service/transactions/nonce-queue.ts";
import { gaslessTypedData, signatureDeadlines } from "../../domain/asset/gasless.ts";
import { refusalTypedData } from "../../domain/asset/typed-data.ts";
import { higher } from "../../domain/fees.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { deriveState, isClosed } from "../../domain/request/state.ts";
import type { Fees } from "../../rpc/calls/fees.ts";
import type { Node } from "../../rpc/node.ts";
import { viewHint, viewHistory } from "../assets/status-view.ts";
import { signUrlOf } from "../operation/sign-url.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import { requireChain } from "../service/registry.ts";
import { summaryOf, viewCall } from "./decoded-call.ts";
import { estimateGas, type GasEstimate } from "./gas-estimate.ts";
import { planNonce } from "./nonce-plan.ts";
import type { TransactionAnswer, TransactionStatusAnswer } from "./schema.ts";
import { feesOfSigned, type SignedFees } from "./signed-transaction.ts";
import { nonceOf, replacementFees } from "./submission-checks.ts";
import { forWallets, inJson } from "./typed-data-json.ts";

/**
 * A transaction with its state and everything that its author needs to sign it; a closed one has nothing to sign.
 * @param settings public URL of the service, and settings of gasless signatures
 */
export async function viewTransaction(
  chain: Node,
  request: Request,
  noted: HistoryEntry[],
  queue: AuthorQueue,
  { publicUrl, gasless }: { publicUrl: string; gasless: Gasless },
): Promise<TransactionAnswer> {
  const derived = deriveState(request.facts);
  return {
    id: request.id,
    signUrl: signUrlOf(publicUrl, request.id),
    kind: request.change.kind,
    assetId: request.assetId,
    ...derived,
    hint: viewHint(request, derived),
    summary: summaryOf(request),
    signer: request.author,
    requestedBy: request.tenant,
    call: viewCall(request),
    chainId: request.registry.chainId,
    ...(isClosed(request.facts) ? nothingToSign : await toSign(chain, request, queue, gasless)),
    ...viewPublicSignature(request, gasless.publicUntil),
    transactionHash: request.transactionHash,
    blockNumber: request.blockNumber,
    createdAt: isoTime(request.createdAt),
    expiresAt: isoTime(request.expiresAt),
    history: viewHistory(noted, derived, request),
  };
}

export type Gasless = {
  /** Whether a relayer works for the registry of the request. */
  hasRelayer: boolean;
  /** Longest validity of a signature in seconds. */
  lifetime: number;
  /** Deadline of a public signature, in seconds since 1970. */
  publicUntil: number | undefined;
};

/** Gasless typed data with the deadline of the stored signature, or of a new one. */
function offered(request: Request, lifetime: number): Request {
  const [signatureDeadline] = signatureDeadlines(lifetime);
  return { ...request, signatureDeadline: request.signatureDeadline ?? signatureDeadline };
}

/** A public, valid and unneeded signature, and the call that cancels it. */
function viewPublicSignature(request: Request, publicUntil: number | undefined) {
  if (publicUntil === undefined || !isClosed(request.facts)) {
    return { signatureAliveUntil: null, cancelSignature: null };
  }
  const { change, registry, linkNonce } = request;
  const data =
    change.kind === "create"
      ? encodeFunctionData({
          abi: registryAbi,
          functionName: "cancelCreation",
          args: [change.salt, change.details],
        })
      : encodeFunctionData({ abi: registryAbi, functionName: "cancelLinkChange", args: [linkNonce] });
  return {
    signatureAliveUntil: isoTime(chainTime(publicUntil)),
    cancelSignature: { to: registry.address, data, value: "0x0" as const },
  };
}

/** The status of a request, the part that changes while callers wait. */
export function viewTransactionStatus(
  { request, noted }: RequestStatus,
  publicUntil: number | undefined,
): TransactionStatusAnswer {
  const derived = deriveState(request.facts);
  return {
    id: request.id,
    kind: request.kind,
    assetId: request.assetId,
    ...derived,
    hint: viewHint(request, derived),
    signatureAliveUntil:
      publicUntil === undefined || !isClosed(request.facts) ? null : isoTime(chainTime(publicUntil)),
    transactionHash: request.transactionHash,
    blockNumber: request.blockNumber,
    expiresAt: isoTime(request.expiresAt),
    history: viewHistory(noted, derived, request),
  };
}

const nothingToSign = {
  to: null,
  data: null,
  value: null,
  nonce: null,
  nextNonce: null,
  gas: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  gasPrice: null,
  warning: null,
  refusal: null,
  gasless: null,
};

async function toSign(chain: Node, request: Request, queue: AuthorQueue, gasless: Gasless) {
  const { author: from, calldata: data, registry, id, assetId } = request;
  const to = registry.address;
  await requireChain(chain, registry);
  const [nonces, balance, current, estimate] = await Promise.all([
    nonceOf(chain, from),
    chain.balance(from),
    chain.fees(),
    estimateGas(chain, { from, to, data }),
  ]);
  const { nonce, nextNonce, replaces } = planNonce(nonces, queue);
  const fees = replaces?.raw === undefined ? current : feesToReplace(current, feesOfSigned(replaces.raw));
  return {
    to,
    data,
    value: "0x0" as const,
    nonce,
    nextNonce,
    ...quantities(fees, estimate),
    warning: estimate.warning ?? cannotPay(from, balance, fees, estimate.gas, gasless.hasRelayer),
    refusal: forWallets(refusalTypedData(registry, { transactionId: id, asset: assetId })),
    gasless: gasless.hasRelayer ? inJson(gaslessTypedData(offered(request, gasless.lifetime))) : null,
  };
}

/** Warning about the author's balance; null where it covers the highest cost. */
function cannotPay(
  author: string,
  balance: bigint,
  fees: Fees,
  gas: bigint,
  hasRelayer: boolean,
): string | null {
  const most = gas * (fees.maxFeePerGas ?? fees.gasPrice);
  if (balance >= most) return null;
  return (
    `The account ${author} holds ${formatEther(balance)} of the chain's currency, and this transaction can ` +
    `cost up to ${formatEther(most)}: send it more before you sign${hasRelayer ? ", or sign gasless" : ""}.`
  );
}

/** Current fees, or those of a replacement of the signed transaction, whichever are higher. */
function feesToReplace(current: Fees, signed: SignedFees): Fees {
  const least = replacementFees(signed);
  const { maxFeePerGas, maxPriorityFeePerGas } = current;
  return {
    ...current,
    gasPrice: higher(current.gasPrice, least.maxFeePerGas),
    maxFeePerGas: maxFeePerGas && higher(maxFeePerGas, least.maxFeePerGas),
    maxPriorityFeePerGas: maxFeePerGas && higher(maxPriorityFeePerGas ?? 0n, least.maxPriorityFeePerGas),
  };
}

function quantities(fees: Fees, { gas }: GasEstimate) {
  const hex = (value: bigint | null) => (value === null ? null : numberToHex(value));
  return {
    gas: hex(gas),
    maxFeePerGas: hex(fees.maxFeePerGas),
    maxPriorityFeePerGas: hex(fees.maxPriorityFeePerGas),
    gasPrice: hex(fees.gasPrice),
  };
}
