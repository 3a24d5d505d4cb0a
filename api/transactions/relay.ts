import type { Hex } from "viem";
import type { Database, Transaction } from "../../db/core/pool.ts";
import { budgetUsed, lockBudget } from "../../db/service/relays/budget.ts";
import { type Relayer, readRelayer } from "../../db/service/relays/relayer.ts";
import { authorSends, findRelaySignature, storeRelay } from "../../db/service/relays/relays.ts";
import { countWaiting } from "../../db/service/relays/waiting-relays.ts";
import { recordState } from "../../db/service/requests/history.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import {
  deadlineOf,
  gaslessCall,
  gaslessDigest,
  linkNonceKeyOf,
  signatureDeadlines,
} from "../../domain/asset/gasless.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import type { Node } from "../../rpc/node.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { requireChain } from "../service/registry.ts";
import { estimateGas } from "./gas-estimate.ts";
import { type AfterAnswer, knownRequest, refuseClosed } from "./known-request.ts";
import { canonical, checkSignature } from "./signature.ts";

/** Gas assumed for a call that cannot be estimated now; the relayer estimates again before it sends. */
const USUAL_GAS = 500_000n;

type Services = Pick<Dependencies, "pool" | "chain" | "registryAddress" | "signatureLifetime">;

/** A checked signature for the relayer; undefined where it is stored already. */
export type RelayPlan = {
  known: Request;
  given: Hex;
  relay:
    | { signature: Hex; estimatedCost: bigint; deadline: number | undefined; relayer: Relayer }
    | undefined;
};

/**
 * Checks a signature for the relayer. A creation may also have a transaction of the author's own, since the registry
 * carries out only one of the two.
 */
export async function prepareRelay(services: Services, known: Request, given: Hex): Promise<RelayPlan> {
  const { pool, chain } = services;
  if (await isStored(pool, known.id, given)) return { known, given, relay: undefined };
  refuseClosed(known, undefined);
  const relayer = await workingRelayer(services, known);
  await requireChain(chain, known.registry);
  await refuseOtherWay(pool, known);
  const { by, deadline } = await checkDeadlines(services, known, given);
  // The registry accepts a key's signature in one form only, and passes a contract's on.
  const signature = by === "key" ? (canonical(given) ?? given) : given;
  await refuseUsedNonce(chain, known);
  const signed = { ...known, signatureDeadline: deadline };
  const estimatedCost = await costOf(chain, signed, signature, relayer);
  return { known, given, relay: { signature, estimatedCost, deadline, relayer } };
}

/** Stores a signature for the relayer; a repetition succeeds without a change. */
export async function commitRelay(tx: Transaction, { known, given, relay }: RelayPlan): Promise<AfterAnswer> {
  if (relay === undefined) return { request: known, changed: false };
  const { id } = known;
  const { relayer, ...stored } = relay;
  await lockRequest(tx, id);
  const request = await knownRequest(tx, id);
  if (await isStored(tx, id, given)) return { request, changed: false };
  refuseClosed(request, undefined);
  await refuseOverBudget(tx, request, relayer, stored.estimatedCost);
  await refuseOtherWay(tx, request);
  await refuseTooMany(tx, request);
  await storeRelay(tx, { requestId: id, ...stored });
  return { request: await recordState(tx, id), changed: true };
}

/** The signer, and which of the offered deadlines was signed. */
async function checkDeadlines({ chain, signatureLifetime }: Services, known: Request, signature: Hex) {
  const check = async (signatureDeadline: number) => {
    const hash = gaslessDigest({ ...known, signatureDeadline });
    const by = await checkSignature(chain, { signer: known.author, hash, signature });
    return { by, deadline: signatureDeadline };
  };
  const [now, ...before] = signatureDeadlines(signatureLifetime);
  // A creation happens once, so its signature may safely live as long as its request.
  if (known.change.kind === "create") before.push(Number(deadlineOf({ expiresAt: known.expiresAt })));
  return await check(now).catch(async (error: unknown) => {
    for (const deadline of before) {
      requireInvalid(error);
      const found = await check(deadline).catch(requireInvalid);
      if (found !== undefined) return found;
    }
    throw error;
  });
}

/** @returns undefined for SIGNATURE_INVALID @throws any other error */
function requireInvalid(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "SIGNATURE_INVALID") throw error;
}

/**
 * Refuses a second form of a signed link change: its signature would stay public and unused, and anybody could make the
 * change with it later. A creation can be executed only once.
 */
async function refuseOtherWay(db: Database, { id, change }: Request): Promise<void> {
  if (change.kind === "create" || !(await authorSends(db, id))) return;
  throw new ApiError(
    "OTHER_WAY_TAKEN",
    "A transaction of the author's own for this link change is under way: wait for it, or cancel it in the wallet.",
  );
}

/** Counts under the lock of the tenant's budget, so that the limit is exact. */
async function refuseTooMany(tx: Transaction, { tenant }: Request): Promise<void> {
  if ((await countWaiting(tx, tenant)) < limits.waitingRelays) return;
  throw new ApiError(
    "TOO_MANY_RELAYS",
    `${limits.waitingRelays} signatures wait for the relayer already: hand in a signed transaction, or wait.`,
  );
}

/** @throws ApiError NONCE_IN_USE where another signature is stored */
async function isStored(db: Database, id: string, given: Hex): Promise<boolean> {
  const signature = await findRelaySignature(db, id);
  if (signature === undefined) return false;
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

async function refuseUsedNonce(chain: Node, { author, change, registry, linkNonce }: Request): Promise<void> {
  if (change.kind === "create") return;
  const next = await chain.linkNonce(registry.address, author, linkNonceKeyOf(linkNonce));
  if (next === linkNonce) return;
  throw new ApiError(
    "NONCE_TOO_LOW",
    `${author} has used, or cancelled, the nonce ${linkNonce} of this signature on the chain already: ` +
      "hand in a signed transaction, or make a new request.",
  );
}

/** Highest cost of sending it at current fees, in wei. */
async function costOf(chain: Node, request: Request, signature: Hex, { address }: Relayer): Promise<bigint> {
  const call = { from: address, to: request.registry.address, data: gaslessCall(request, signature) };
  const [fees, { gas }] = await Promise.all([chain.fees(), estimateGas(chain, call)]);
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
