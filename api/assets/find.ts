import type { Database } from "../../db/core/pool.ts";
import { type ChainAsset, type ChainAssetOutline, findAssetOutline } from "../../db/reads/chain-asset.ts";
import { findCreation, findCreationOutline } from "../../db/service/requests/find.ts";
import type { HistoryEntry } from "../../db/service/requests/history.ts";
import type { Request, RequestOutline, RequestRef } from "../../db/service/requests/request.ts";
import { holdsAddress, type User } from "../../db/service/wallets.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError } from "../../domain/errors.ts";
import { type Derived, deriveState, nothingYet } from "../../domain/request/state.ts";
import type { Caller } from "../operation/caller.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import type { IndexPoint } from "./index-point.ts";

/** An asset on the chain, the request for it, or both. */
export type KnownAsset<Chain extends OnChain = ChainAsset, Asked extends RequestOutline = Request> =
  | { chain: Chain; request: RequestRef | undefined }
  | { chain: undefined; request: Asked };

/** The part of a request that its state follows from. */
export type AssetOutline = KnownAsset<OnChain, RequestOutline>;

/** The part of an asset on the chain that its state follows from. */
export type OnChain = Pick<ChainAsset, "id" | "position" | "createdOn">;

/** An asset with the other parts of its answer. */
export type FoundAsset = { known: KnownAsset; links: AssetId[]; finalBlock: number };

/**
 * Finds an asset that this caller may see: any asset on the chain, and pending ones of its tenant or its author. The
 * request behind it, whose id is a capability, is for those two only.
 * @throws ApiError ASSET_NOT_FOUND
 */
export async function visibleAsset(
  { pool, reads }: Pick<Dependencies, "pool" | "reads">,
  caller: Caller,
  id: AssetId,
): Promise<FoundAsset> {
  async function onChain(): Promise<FoundAsset | undefined> {
    const read = await reads.asset(id);
    if (read === undefined) return undefined;
    return { known: await seenBy(pool, caller, read), links: read.links, finalBlock: read.finalBlock };
  }
  const found = await onChain();
  if (found !== undefined) return found;
  const request = await findCreation(pool, id);
  if (request === undefined || !(await mayWatch(pool, caller, request))) throw unknownAsset(id);
  // It may have been indexed between the two queries.
  const since = request.facts.effect === undefined ? undefined : await onChain();
  return since ?? { known: { chain: undefined, request }, links: [], finalBlock: request.facts.finalBlock };
}

/** The status of an asset that this caller may see. */
export type FoundStatus = { known: AssetOutline; noted: HistoryEntry[]; index: IndexPoint };

/**
 * Finds the status of an asset that this caller may see.
 * @throws ApiError ASSET_NOT_FOUND
 */
export async function visibleStatus(
  { pool, reads, confirmations }: Pick<Dependencies, "pool" | "reads" | "confirmations">,
  caller: Caller,
  id: AssetId,
): Promise<FoundStatus> {
  async function onChain(): Promise<FoundStatus | undefined> {
    const read = await reads.status(id);
    if (read === undefined) return undefined;
    return { known: await seenBy(pool, caller, read), noted: read.noted, index: read.index };
  }
  const found = await onChain();
  if (found !== undefined) return found;
  const pending = await reads.pending(id);
  if (pending === undefined || !(await mayWatch(pool, caller, pending.request))) throw unknownAsset(id);
  const { request, noted, index = { blockNumber: -1, finalNumber: -1, confirmations } } = pending;
  // It may have been indexed between the two queries.
  const since = request.facts.effect === undefined ? undefined : await onChain();
  return since ?? { known: { chain: undefined, request }, noted, index };
}

/**
 * Finds an asset that this caller may see, without its texts.
 * @throws ApiError ASSET_NOT_FOUND
 */
export async function visibleOutline(
  db: Database,
  caller: Caller,
  id: AssetId,
): Promise<KnownAsset<ChainAssetOutline, RequestOutline>> {
  const found = await findCreationOutline(db, id);
  const request = found !== undefined && (await mayWatch(db, caller, found)) ? found : undefined;
  const chain = await findAssetOutline(db, id);
  if (chain !== undefined) return { chain, request };
  if (request !== undefined) return { chain, request };
  throw unknownAsset(id);
}

function unknownAsset(id: AssetId): ApiError {
  return new ApiError("ASSET_NOT_FOUND", `There is no asset ${id}.`);
}

/** An asset on the chain, with the request behind it where this caller may see that. */
async function seenBy<Chain extends OnChain>(
  db: Database,
  caller: Caller,
  { chain, request }: { chain: Chain; request: RequestRef | undefined },
): Promise<KnownAsset<Chain>> {
  if (request === undefined || request.tenant === caller.tenant) return { chain, request };
  return { chain, request: (await mayWatch(db, caller, request)) ? request : undefined };
}

/** Whether the caller is the request's tenant, or a user whose wallets hold its author. */
async function mayWatch(db: Database, { tenant, user }: Caller, request: RequestRef): Promise<boolean> {
  if (request.tenant === tenant) return true;
  return user !== undefined && (await holdsAddress(db, user, request.author));
}

/**
 * The state of an asset. Whether it is on the chain is read once, so that an answer is consistent when a block arrives
 * between two queries.
 */
export function stateOfAsset({ chain, request }: AssetOutline, finalBlock: number): Derived {
  if (chain === undefined) return deriveState({ ...request.facts, effect: undefined });
  return deriveState({ ...nothingYet, effect: chain.position.blockNumber, finalBlock });
}

/** @throws ApiError AUTHOR_NOT_YOURS where the caller presents a token and its user does not hold this address */
export async function requireAuthor(
  db: Database,
  user: User | undefined,
  author: ChainAsset["author"],
): Promise<void> {
  if (user === undefined || (await holdsAddress(db, user, author))) return;
  throw new ApiError("AUTHOR_NOT_YOURS", `The address ${author} is not one of your wallets.`);
}
