import { randomUUID } from "node:crypto";
import { encodeFunctionData } from "viem";
import type { Database, Transaction } from "../../db/core/pool.ts";
import { assetsOnChain } from "../../db/reads/chain-asset.ts";
import { pairStates } from "../../db/reads/links.ts";
import { assetsRequested } from "../../db/service/requests/find.ts";
import { insertLinkChange, type NewLinkChange } from "../../db/service/requests/insert-link-change.ts";
import { lockParent } from "../../db/service/requests/locks.ts";
import { countOpenLinkRequests, openLinkRequests } from "../../db/service/requests/open-link-changes.ts";
import type { LinkChange, Request } from "../../db/service/requests/request.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError, type ErrorCode, type ErrorDetail } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { isClosed } from "../../domain/request/state.ts";
import { requireAuthor, visibleOutline } from "../assets/find.ts";
import type { KeyCaller } from "../operation/caller.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { invalidRequest } from "../operation/parse.ts";
import { requireOpenRequests } from "../transactions/open-requests.ts";

/** A requested change of links, before the nth link of each pair is known. */
export type LinkPlan = Omit<NewLinkChange, "change"> & {
  kind: LinkChange["kind"];
  children: readonly AssetId[];
  /** Most open requests of the tenant; 0: no limit. */
  mostOpen: number;
};

/** Generates the transaction that changes links of an asset, for the asset's author to sign. */
export async function prepareLinkChange(
  services: Dependencies,
  caller: KeyCaller,
  { kind, parent, children }: { kind: LinkChange["kind"]; parent: AssetId; children: AssetId[] },
): Promise<LinkPlan> {
  refuseSelf(parent, children);
  const registry = await services.registry();
  const author = await authorOf(services.pool, caller, parent);
  await requireTargets(services.pool, caller.tenant, children);
  const functionName = kind === "link" ? "link" : "revokeLinks";
  return {
    ...{ id: randomUUID(), tenant: caller.tenant, author, assetId: parent, registry, kind, children },
    calldata: encodeFunctionData({ abi: registryAbi, functionName, args: [parent, children] }),
    ttl: services.requestTtl,
    mostOpen: services.openRequests.most,
  };
}

/**
 * Stores the request for a change of links, unless the tenant has an open request for the same change, which is answered
 * instead.
 */
export async function commitLinkChange(
  tx: Transaction,
  { kind, children, mostOpen, ...plan }: LinkPlan,
): Promise<{ request: Request; isNew: boolean }> {
  const { tenant, assetId: parent } = plan;
  await lockParent(tx, tenant, parent);
  const change: LinkChange = { kind, targets: await turns(tx, kind, parent, children) };
  const pending = await samePending(tx, tenant, { ...change, parent });
  if (pending !== undefined) return { request: pending, isNew: false };
  await requireRoom(tx, tenant, parent);
  await requireOpenRequests(tx, tenant, mostOpen);
  return { request: await insertLinkChange(tx, { ...plan, change }), isNew: true };
}

function refuseSelf(parent: AssetId, children: readonly AssetId[]): void {
  const place = children.indexOf(parent);
  if (place === -1) return;
  throw invalidRequest([{ field: `targetAssetIds.${place}`, message: "must not be the asset itself" }]);
}

/** The author of the parent, who alone may change its links. */
async function authorOf(db: Database, caller: KeyCaller, parent: AssetId) {
  const { chain, request } = await visibleOutline(db, caller, parent);
  const { author } = chain ?? request;
  await requireAuthor(db, caller.user, author);
  if (chain !== undefined) return author;
  throw new ApiError("ASSET_NOT_ON_CHAIN", `The asset ${parent} is not on the chain yet.`);
}

async function requireTargets(db: Database, tenant: string, children: readonly AssetId[]): Promise<void> {
  const onChain = await assetsOnChain(db, children);
  const absent = children.filter((child) => !onChain.has(child));
  if (absent.length === 0) return;
  const requested = await assetsRequested(db, tenant, absent);
  const unknown = absent.filter((child) => !requested.has(child));
  if (unknown.length > 0) throw aboutTargets("TARGET_NOT_FOUND", children, unknown, "is no asset");
  throw aboutTargets("ASSET_NOT_ON_CHAIN", children, absent, "is not on the chain yet");
}

/** The nth link of each pair that the change adds or revokes. */
async function turns(
  tx: Transaction,
  kind: LinkChange["kind"],
  parent: AssetId,
  children: readonly AssetId[],
): Promise<LinkChange["targets"]> {
  const pairs = await pairStates(tx, parent, children);
  const wrong = pairs.filter(({ stands }) => stands === (kind === "link")).map(({ child }) => child);
  if (wrong.length > 0) {
    throw kind === "link"
      ? aboutTargets("ALREADY_LINKED", children, wrong, "is linked already")
      : aboutTargets("NOT_LINKED", children, wrong, "is not linked");
  }
  return pairs.map(({ child, times }) => ({ child, nth: kind === "link" ? times + 1 : times }));
}

/** Limits open changes of one asset, all of which the indexer reads when a link of it changes. */
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
  wanted: LinkChange & { parent: AssetId },
): Promise<Request | undefined> {
  const open = await openLinkRequests(tx, tenant, wanted);
  return open.find(({ facts }) => !isClosed(facts));
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
