import { formatEther, formatGwei, type Hex, hexToBytes } from "viem";
import type { Database } from "../../db/core/pool.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { firstUnsigned, type HeldNonce } from "../../db/service/transactions/nonce-queue.ts";
import { ApiError } from "../../domain/errors.ts";
import { lowestReplacementFee } from "../../domain/fees.ts";
import type { Fees } from "../../rpc/calls/fees.ts";
import type { NodeTransaction } from "../../rpc/calls/transactions.ts";
import type { Node } from "../../rpc/node.ts";
import { readLater } from "../operation/read-later.ts";
import { requireChain } from "../service/registry.ts";
import { estimateGas } from "./gas-estimate.ts";
import { type AccountNonces, lowestFree } from "./nonce-plan.ts";
import { type CheckedTransaction, feesOfSigned, type SignedFees } from "./signed-transaction.ts";

/** The author's nonces by the node, and those that signed transactions held before. */
export type NoncesAsked = AccountNonces & { heldBefore: HeldNonce[] };

/**
 * Checks against the chain that a signed transaction can be executed, before it is stored. One that is stored, or that
 * the node has, needs no check.
 * @returns the author's nonces; undefined where the nonce needs no check
 * @throws ApiError with a code of its own for each obstacle, NodeError where the node does not answer
 */
export async function checkAgainstChain(
  chain: Node,
  request: Request,
  signed: CheckedTransaction,
  heldBefore: HeldNonce[],
): Promise<NoncesAsked | undefined> {
  await requireChain(chain, request.registry);
  const { author: from, calldata: data, registry } = request;
  // Concurrent, so that they share a batch; where the nonce decides, the others may fail.
  const asked = readLater(
    Promise.all([
      chain.fees(),
      chain.balance(from),
      estimateGas(chain, { from, to: registry.address, data }),
    ]),
  );
  const nonces = await nonceOf(chain, request.author);
  if (signed.nonce < nonces.pending && isUnderWay(request, await chain.transaction(signed.hash)))
    return undefined;
  refuseUsedNonce(request, signed, nonces);
  const [fees, balance, { needed }] = await asked;
  refuseLowFee(signed, fees);
  // A call that fails now may succeed later, after an earlier one is mined.
  refuseLowGas(signed, needed ?? intrinsicGas(data));
  refuseUnpayable(request, signed, balance);
  return { ...nonces, heldBefore };
}

/** A transaction mined before the request belongs to an earlier one, since the calls of link changes are alike. */
function isUnderWay({ afterBlock = -1 }: Request, found: NodeTransaction | undefined): boolean {
  if (found === undefined) return false;
  return found.blockHash === null || found.blockNumber === null || found.blockNumber > afterBlock;
}

export async function nonceOf(chain: Node, author: Request["author"]): Promise<AccountNonces> {
  const [mined, pending] = await Promise.all([
    chain.nextNonce(author, "latest"),
    chain.nextNonce(author, "pending"),
  ]);
  // On a node without a pool the second may be behind the first.
  return { mined, pending: Math.max(mined, pending) };
}

/**
 * The obstacle of a nonce: another stored transaction of the author holds it, or an earlier one is missing. `held` is
 * reliable only while the author is locked.
 */
export function nonceProblem(
  request: Request,
  signed: CheckedTransaction,
  { pending, heldBefore }: NoncesAsked,
  all: readonly HeldNonce[],
): ApiError | undefined {
  // One that became final since the call of the node is no longer held, and not yet counted by the node.
  const held = new Set([...heldBefore, ...all].map(({ nonce }) => nonce));
  const rivals = all.filter(({ nonce, hash }) => nonce === signed.nonce && hash !== signed.hash);
  const next = lowestFree(held, pending);
  if (rivals.some(({ own }) => !own)) {
    return new ApiError(
      "NONCE_IN_USE",
      `The nonce ${signed.nonce} is that of another signed transaction of ${request.author}: only one of the ` +
        `two could be carried out. Sign this one with nonce ${next}.`,
    );
  }
  for (const { raw } of rivals) {
    const problem = raw && cheapReplacement(signed, feesOfSigned(raw));
    if (problem) return problem;
  }
  if (signed.nonce <= next) return undefined;
  return new ApiError("NONCE_GAP", gapWords(request, signed, next));
}

function gapWords({ author }: Request, { nonce }: CheckedTransaction, next: number): string {
  return (
    `It is signed with nonce ${nonce}, and nonce ${next} of ${author} has no transaction ` +
    `yet, so the chain would not execute it. Hand in the earlier ones first, or sign this one with nonce ${next}, ` +
    "the `nextNonce` that the transaction gives."
  );
}

/** Names in a NONCE_GAP the request in the way, since the caller has its author's signature. */
export async function withBlocker(db: Database, request: Request, problem: ApiError): Promise<ApiError> {
  const blocker = problem.code === "NONCE_GAP" ? await firstUnsigned(db, request.id) : undefined;
  if (blocker === undefined) return problem;
  return new ApiError(
    problem.code,
    `${problem.message} The request ${blocker} stands before it, and nobody has signed that: where it is ` +
      `abandoned, refuse it by POST /transactions/${blocker}/revoke.`,
  );
}

function refuseUsedNonce(
  request: Request,
  signed: CheckedTransaction,
  { mined, pending }: AccountNonces,
): void {
  if (signed.nonce >= mined) return;
  throw new ApiError(
    "NONCE_TOO_LOW",
    `It is signed with nonce ${signed.nonce}, which ${request.author} has used already: read the ` +
      `transaction again, and sign it with the nonce that it gives (from ${pending} on).`,
  );
}

function refuseLowFee({ maxFeePerGas }: SignedFees, { baseFee }: Fees): void {
  if (baseFee === null || maxFeePerGas >= baseFee) return;
  throw new ApiError(
    "FEE_TOO_LOW",
    `It pays at most ${formatGwei(maxFeePerGas)} gwei for a unit of gas, and the chain asks for ` +
      `${formatGwei(baseFee)} now: read the transaction again, and sign it with the fees that it gives.`,
  );
}

function refuseLowGas({ gas }: CheckedTransaction, needed: bigint): void {
  if (gas >= needed) return;
  throw new ApiError(
    "GAS_TOO_LOW",
    `Its gas limit is ${gas}, and the call needs ${needed}: sign it with the gas that the transaction gives.`,
  );
}

function refuseUnpayable(request: Request, { gas, maxFeePerGas }: CheckedTransaction, balance: bigint): void {
  const most = gas * maxFeePerGas;
  if (balance >= most) return;
  throw new ApiError(
    "INSUFFICIENT_FUNDS",
    `The account ${request.author} holds ${formatEther(balance)} of the chain's currency, and this ` +
      `transaction may cost up to ${formatEther(most)}: send it more, and hand this in again.`,
  );
}

function cheapReplacement(signed: SignedFees, held: SignedFees): ApiError | undefined {
  const least = replacementFees(held);
  const fields = ["maxFeePerGas", "maxPriorityFeePerGas"] as const;
  if (fields.every((field) => signed[field] >= least[field])) return undefined;
  return new ApiError(
    "NONCE_IN_USE",
    "An earlier signed transaction of this request has the same nonce. To replace it, pay at least " +
      `${formatGwei(least.maxFeePerGas)} gwei for a unit of gas, of which ${formatGwei(least.maxPriorityFeePerGas)} as priority fee.`,
  );
}

/** Lowest fees at which nodes accept a replacement. */
export function replacementFees({ maxFeePerGas, maxPriorityFeePerGas }: SignedFees): SignedFees {
  return {
    maxFeePerGas: lowestReplacementFee(maxFeePerGas),
    maxPriorityFeePerGas: lowestReplacementFee(maxPriorityFeePerGas),
  };
}

/** Intrinsic gas of a transaction with this data (Yellow Paper, EIP-2028). */
function intrinsicGas(data: Hex): bigint {
  let gas = 21_000n;
  for (const byte of hexToBytes(data)) gas += byte === 0 ? 4n : 16n;
  return gas;
}
