import type { Database } from "../../db/core/pool.ts";
import { assetsOf } from "../../db/reads/assets.ts";
import { type ChainAsset, type ChainAssetOutline, findAssetOutline } from "../../db/reads/chain-asset.ts";
import { findCreation, findCreationOutline } from "../../db/service/requests/find.ts";
import type { Request, RequestOutline, RequestRef } from "../../db/service/requests/request.ts";
import { holdsAddress, type User } from "../../db/service/wallets.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError } from "../../domain/errors.ts";
import { type Derived, deriveState, nothingYet } from "../../domain/request/state.ts";
import type { Caller } from "../operation/route.ts";

/** An asset as it is known here: on the chain, by the request for it, or by both. */
export type KnownAsset<Chain extends OnChain = ChainAsset, Asked extends RequestOutline = Request> =
  | { chain: Chain; request: RequestRef | undefined }
  | { chain: undefined; request: Asked };

/** As much of it as its state follows from. */
export type AssetOutline = KnownAsset<OnChain, RequestOutline>;

/** Of an asset on the chain what its state follows from. */
export type OnChain = Pick<ChainAsset, "id" | "position" | "createdOn">;

/**
 * Finds an asset that this caller may see: on the chain everybody's, not yet there its tenant's and its author's.
 * The request behind it, whose id opens the transaction, is for those two only.
 * @throws ApiError ASSET_NOT_FOUND
 */
export async function visibleAsset(db: Database, caller: Caller, id: AssetId): Promise<KnownAsset> {
  const found = await findCreation(db, id);
  const request = found !== undefined && (await mayWatch(db, caller, found)) ? found : undefined;
  const [read] = (await assetsOf(db, [id])).readings;
  const chain = read?.chain;
  if (chain !== undefined) return { chain, request };
  if (request !== undefined) return { chain, request };
  throw unknownAsset(id);
}

/**
 * The same without its texts, for what is not about them.
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

export function unknownAsset(id: AssetId): ApiError {
  return new ApiError("ASSET_NOT_FOUND", `There is no asset ${id}.`);
}

/** The same of an asset that was read on the chain: with the request behind it where this caller may see that. */
export async function seenBy<Chain extends OnChain>(
  db: Database,
  caller: Caller,
  { chain, request }: { chain: Chain; request: RequestRef | undefined },
): Promise<KnownAsset<Chain>> {
  if (request === undefined || request.tenant === caller.tenant) return { chain, request };
  return { chain, request: (await mayWatch(db, caller, request)) ? request : undefined };
}

/** Whether the caller is the request's tenant, or a user whose wallets hold its author. */
export async function mayWatch(
  db: Database,
  { tenant, user }: Caller,
  request: RequestRef,
): Promise<boolean> {
  if (request.tenant === tenant) return true;
  return user !== undefined && (await holdsAddress(db, user, request.author));
}

/**
 * The state of an asset. Whether it is on the chain is asked once, so that the state and the rest of an
 * answer agree when a block arrives between two queries.
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
