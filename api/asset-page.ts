import { findAssets } from "../db/assets.ts";
import { outgoingLinks } from "../db/links.ts";
import type { Transaction } from "../db/pool.ts";
import { findCreations, findRequests, type Request } from "../db/requests.ts";
import { walletsOf } from "../db/wallets.ts";
import { limits } from "../domain/limits.ts";
import type { Listed } from "./asset-list.ts";
import { viewAsset } from "./asset-view.ts";
import type { KnownAsset } from "./assets.ts";
import type { KeyCaller } from "./route.ts";

/** Builds the Assets of a page, each as it is by itself, with a fixed number of questions. */
export async function assetPage(
  tx: Transaction,
  caller: KeyCaller,
  { requests: requestIds, assets: assetIds }: Listed,
  finalNumber: number,
): Promise<ReturnType<typeof viewAsset>[]> {
  const asked = byKey(await findRequests(tx, requestIds), ({ id }) => id);
  const requested = requestIds.flatMap((id) => asked.get(id) ?? []);
  const ids = [...requested.map(({ assetId }) => assetId), ...assetIds];
  const chain = byKey(await findAssets(tx, ids), ({ id }) => id);
  const mayWatch = await watcher(tx, caller);
  const creations = byKey((await findCreations(tx, assetIds)).filter(mayWatch), ({ assetId }) => assetId);
  const links = await outgoingLinks(tx, [...chain.keys()], limits.links);

  const known = [
    ...requested.map((request): KnownAsset => ({ chain: chain.get(request.assetId), request })),
    ...assetIds.flatMap((id): KnownAsset[] => {
      const asset = chain.get(id);
      return asset === undefined ? [] : [{ chain: asset, request: creations.get(id) }];
    }),
  ];
  return known.map((one) =>
    viewAsset(one, one.chain === undefined ? [] : (links.get(one.chain.id) ?? []), finalNumber),
  );
}

/** The request behind an asset is for its tenant and its author alone. */
async function watcher(tx: Transaction, { tenant, user }: KeyCaller): Promise<(request: Request) => boolean> {
  const wallets = user === undefined ? [] : await walletsOf(tx, user);
  const addresses = new Set<string>(wallets.map(({ address }) => address));
  return (request) => request.tenant === tenant || addresses.has(request.author);
}

const byKey = <Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value> =>
  new Map(values.map((value) => [keyOf(value), value]));
