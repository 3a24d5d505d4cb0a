import type { Hex } from "viem";
import { noteState } from "../db/history.ts";
import { inTransaction, type Transaction } from "../db/pool.ts";
import { budgetUsed, findRelay, lockBudget, type Relayer, readRelayer, storeRelay } from "../db/relays.ts";
import { lockRequest, type Request } from "../db/requests.ts";
import { ApiError } from "../domain/errors.ts";
import { gaslessCall, gaslessDigest, linkNonceKeyOf } from "../domain/gasless.ts";
import type { Chain } from "./chain.ts";
import type { AnswerTo } from "./creation.ts";
import type { Dependencies } from "./dependencies.ts";
import { requireChain } from "./registry.ts";
import { canonical, checkSignature } from "./signature.ts";
import { knownRequest, refuseClosed } from "./submission.ts";

/** Counted for a call that cannot be estimated now; the relayer estimates again before it sends. */
const USUAL_GAS = 500_000n;

type Services = Pick<Dependencies, "pool" | "chain" | "registryAddress">;

/**
 * Stores what the author signed for the relayer to send. The same signature again is the same success.
 * A transaction of the author's own may stand beside it: the registry carries out one of the two.
 */
export async function storeSignature<Result>(
  services: Services,
  known: Request,
  given: Hex,
  answer: AnswerTo<Result>,
): Promise<Result> {
  const { pool, chain } = services;
  const { id } = known;
  if (await isStored(pool, id, given)) return await answer(pool, known);
  refuseClosed(known, undefined);
  const relayer = await workingRelayer(services, known);
  await requireChain(chain, known.registry);
  const hash = gaslessDigest(known);
  const by = await checkSignature(chain, { signer: known.author, hash, signature: given });
  // The registry takes a key's signature in one form only, and a contract's as the contract wants it.
  const signature = by === "key" ? (canonical(given) ?? given) : given;
  await refuseUsedNonce(chain, known);
  const estimatedCost = await costOf(chain, known, signature, relayer);
  return await inTransaction(pool, async (tx) => {
    await lockRequest(tx, id);
    const request = await knownRequest(tx, id);
    if (await isStored(tx, id, given)) return await answer(tx, request);
    refuseClosed(request, undefined);
    await refuseOverBudget(tx, request, relayer, estimatedCost);
    await storeRelay(tx, { requestId: id, signature, estimatedCost });
    return await answer(tx, await noteState(tx, id));
  });
}

/** @throws ApiError NONCE_IN_USE where another signature is stored */
async function isStored(db: Dependencies["pool"] | Transaction, id: string, given: Hex): Promise<boolean> {
  const relay = await findRelay(db, id);
  if (relay === undefined) return false;
  const { signature } = relay;
  if (signature === given.toLowerCase() || signature === canonical(given)) return true;
  throw new ApiError(
    "NONCE_IN_USE",
    "Another signature of this transaction is stored for the relayer already, and one is enough: wait for it.",
  );
}

async function workingRelayer({ pool, registryAddress }: Services, { registry }: Request): Promise<Relayer> {
  const relayer = registry.address === registryAddress ? await readRelayer(pool) : undefined;
  if (relayer !== undefined) return relayer;
  throw new ApiError(
    "RELAYER_DISABLED",
    "No relayer works here that would send what you signed: hand in a signed transaction instead.",
  );
}

async function refuseUsedNonce(
  chain: Chain,
  { author, change, registry, linkNonce }: Request,
): Promise<void> {
  if (change.kind === "create") return;
  const next = await chain.linkNonce(registry.address, author, linkNonceKeyOf(linkNonce));
  if (next === linkNonce) return;
  throw new ApiError(
    "NONCE_TOO_LOW",
    `${author} has used, or cancelled, the nonce ${linkNonce} of this signature on the chain already: ` +
      "hand in a signed transaction, or make a new request.",
  );
}

/** The most that sending it costs at today's fees, in wei. */
async function costOf(chain: Chain, request: Request, signature: Hex, { address }: Relayer): Promise<bigint> {
  const call = { from: address, to: request.registry.address, data: gaslessCall(request, signature) };
  const [fees, { gas }] = await Promise.all([chain.fees(), chain.gas(call)]);
  return (gas ?? USUAL_GAS) * (fees.maxFeePerGas ?? fees.gasPrice);
}

async function refuseOverBudget(
  tx: Transaction,
  { id, tenant }: Request,
  { dailyBudget }: Relayer,
  cost: bigint,
): Promise<void> {
  await lockBudget(tx, tenant);
  if ((await budgetUsed(tx, tenant, id)) + cost <= dailyBudget) return;
  throw new ApiError(
    "RELAYER_BUDGET_SPENT",
    "What this service pays for requests of one tenant in a day (UTC) is spent: hand in a signed " +
      "transaction, or hand in the signature again tomorrow.",
  );
}
