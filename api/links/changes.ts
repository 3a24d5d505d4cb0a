import { randomUUID } from "node:crypto";
import { encodeFunctionData } from "viem";
import { inTransaction, type Transaction } from "../../db/core/pool.ts";
import { assetsOnChain } from "../../db/reads/chain-asset.ts";
import { pairStates } from "../../db/reads/links.ts";
import { assetsRequested } from "../../db/service/requests/find.ts";
import { insertLinkChange } from "../../db/service/requests/insert-link-change.ts";
import { lockParent } from "../../db/service/requests/locks.ts";
import { countOpenLinkRequests, openLinkRequests } from "../../db/service/requests/open-link-changes.ts";
import type { Request, LinkChange as StoredChange } from "../../db/service/requests/request.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError, type ErrorCode, type ErrorDetail } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { deriveState, isRevoked } from "../../domain/request/state.ts";
import type { AnswerTo } from "../assets/creation.ts";
import { requireAuthor, visibleOutline } from "../assets/find.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { createTurns } from "../operation/in-turn.ts";
import { invalidRequest } from "../operation/parse.ts";
import type { KeyCaller } from "../operation/route.ts";

export type LinkChange = { kind: "link" | "revoke"; parent: AssetId; children: AssetId[] };
/** Of each tenant and parent: before the lock in the database, which keeps processes apart. */
const inTurn = createTurns();

type LinkTargets = StoredChange["targets"];

/**
 * Generates the transaction that changes links of an asset, for the asset's author to sign. A request of the
 * same tenant for the same change that is still open is answered instead of a second one.
 */
export async function requestLinkChange<Result>(
  services: Dependencies,
  caller: KeyCaller,
  change: LinkChange,
  answer: AnswerTo<Result>,
): Promise<Result> {
  refuseSelf(change);
  const registry = await services.registry();
  const { kind, parent, children } = change;
  const store = async (tx: Transaction): Promise<Result> => {
    await lockParent(tx, caller.tenant, parent);
    const author = await authorOf(tx, caller, parent);
    await requireTargets(tx, caller.tenant, children);
    const targets = await turns(tx, change);
    const pending = await samePending(tx, caller.tenant, { kind, parent, targets });
    if (pending !== undefined) return await answer(tx, pending, false);
    await requireRoom(tx, caller.tenant, parent);
    await services.openRequests.addOne(tx, caller.tenant);
    const request = await insertLinkChange(tx, {
      id: randomUUID(),
      tenant: caller.tenant,
      author,
      assetId: parent,
      registry,
      calldata: encodeFunctionData({
        abi: registryAbi,
        functionName: kind === "link" ? "link" : "revokeLinks",
        args: [parent, children],
      }),
      ttl: services.requestTtl,
      change: { kind, targets },
    });
    return await answer(tx, request, true);
  };
  return await inTurn(`${parent} ${caller.tenant}`, () => inTransaction(services.pool, store));
}

function refuseSelf({ parent, children }: LinkChange): void {
  const place = children.indexOf(parent);
  if (place === -1) return;
  throw invalidRequest([{ field: `targetAssetIds.${place}`, message: "must not be the asset itself" }]);
}

/** The author of the parent, who alone may change its links. */
async function authorOf(tx: Transaction, caller: KeyCaller, parent: AssetId) {
  const { chain, request } = await visibleOutline(tx, caller, parent);
  const { author } = chain ?? request;
  await requireAuthor(tx, caller.user, author);
  if (chain !== undefined) return author;
  throw new ApiError("ASSET_NOT_ON_CHAIN", `The asset ${parent} is not on the chain yet.`);
}

async function requireTargets(tx: Transaction, tenant: string, children: readonly AssetId[]): Promise<void> {
  const onChain = await assetsOnChain(tx, children);
  const absent = children.filter((child) => !onChain.has(child));
  if (absent.length === 0) return;
  const requested = await assetsRequested(tx, tenant, absent);
  const unknown = absent.filter((child) => !requested.has(child));
  if (unknown.length > 0) throw aboutTargets("TARGET_NOT_FOUND", children, unknown, "is no asset");
  throw aboutTargets("ASSET_NOT_ON_CHAIN", children, absent, "is not on the chain yet");
}

/** Which link of each pair the change makes or revokes; the registry lets the two only take turns. */
async function turns(tx: Transaction, { kind, parent, children }: LinkChange): Promise<LinkTargets> {
  const pairs = await pairStates(tx, parent, children);
  const wrong = pairs.filter(({ stands }) => stands === (kind === "link")).map(({ child }) => child);
  if (wrong.length > 0) {
    throw kind === "link"
      ? aboutTargets("ALREADY_LINKED", children, wrong, "is linked already")
      : aboutTargets("NOT_LINKED", children, wrong, "is not linked");
  }
  return pairs.map(({ child, times }) => ({ child, nth: kind === "link" ? times + 1 : times }));
}

/** A change of a link has the indexer look at all open requests for it. */
async function requireRoom(tx: Transaction, tenant: string, parent: AssetId): Promise<void> {
  const most = limits.openLinkRequests;
  if ((await countOpenLinkRequests(tx, tenant, parent, most)) < most) return;
  throw new ApiError(
    "TOO_MANY_OPEN_REQUESTS",
    `Your tenant has ${most} open changes of the links of ${parent}, as many as are allowed. Ask for several targets in one request, let the author sign or refuse some, or wait until some are on the chain or expire.`,
  );
}

async function samePending(
  tx: Transaction,
  tenant: string,
  wanted: { kind: LinkChange["kind"]; parent: AssetId; targets: LinkTargets },
): Promise<Request | undefined> {
  const open = await openLinkRequests(tx, tenant, wanted);
  return open.find(({ facts }) => facts.effect === undefined && !isRevoked(deriveState(facts).state));
}

function aboutTargets(
  code: ErrorCode,
  children: readonly AssetId[],
  wrong: readonly AssetId[],
  problem: string,
): ApiError {
  const details = wrong.map(
    (id): ErrorDetail => ({
      field: `targetAssetIds.${children.indexOf(id)}`,
      message: `${id} ${problem}`,
    }),
  );
  const [first] = details;
  const others = wrong.length > 1 ? `, and ${wrong.length - 1} more in details` : "";
  return new ApiError(code, `The target ${first?.message}${others}.`, details);
}
