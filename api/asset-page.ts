import { assetsOf } from "../db/asset-reads.ts";
import type { Transaction } from "../db/pool.ts";
import { findRequests, type RequestRef } from "../db/requests.ts";
import { walletsOf } from "../db/wallets.ts";
import type { AssetState } from "../domain/state.ts";
import type { Listed } from "./asset-list.ts";
import { assetJson } from "./asset-view.ts";
import { type KnownAsset, stateOfAsset } from "./assets.ts";
import type { KeyCaller } from "./route.ts";

/** An Asset of a page as JSON, and its state. */
type PagedAsset = { state: AssetState; json: string };

/** Builds the Assets of a page, each as it is by itself, with a fixed number of questions. */
export async function assetPage(
  tx: Transaction,
  caller: KeyCaller,
  { requests: requestIds, assets: assetIds }: Listed,
  finalNumber: number,
): Promise<PagedAsset[]> {
  const asked = byKey(await findRequests(tx, requestIds), ({ id }) => id);
  const requested = requestIds.flatMap((id) => asked.get(id) ?? []);
  const ids = [...requested.map(({ assetId }) => assetId), ...assetIds];
  const onChain = byKey(await assetsOf(tx, ids), ({ chain }) => chain.id);
  const mayWatch = await watcher(tx, caller);
  const paged = (known: KnownAsset, links: string): PagedAsset => ({
    state: stateOfAsset(known, finalNumber).state,
    json: assetJson(known, links, finalNumber),
  });
  return [
    ...requested.map((request) => {
      const read = onChain.get(request.assetId);
      return paged({ chain: read?.chain, request }, read?.links ?? "[]");
    }),
    ...assetIds.flatMap((id) => {
      const read = onChain.get(id);
      if (read === undefined) return [];
      const { chain, links, request } = read;
      const seen = request !== undefined && mayWatch(request) ? request : undefined;
      return [paged({ chain, request: seen }, links)];
    }),
  ];
}

/** The request behind an asset is for its tenant and its author alone. */
async function watcher(
  tx: Transaction,
  { tenant, user }: KeyCaller,
): Promise<(request: RequestRef) => boolean> {
  const wallets = user === undefined ? [] : await walletsOf(tx, user);
  const addresses = new Set<string>(wallets.map(({ address }) => address));
  return (request) => request.tenant === tenant || addresses.has(request.author);
}

const byKey = <Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value> =>
  new Map(values.map((value) => [keyOf(value), value]));
