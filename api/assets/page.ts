import type { Transaction } from "../../db/core/pool.ts";
import { assetsThatFit } from "../../db/reads/assets.ts";
import { findRequests } from "../../db/service/requests/find.ts";
import type { RequestRef } from "../../db/service/requests/request.ts";
import { requestsThatFit } from "../../db/service/requests/sizes.ts";
import { walletsOf } from "../../db/service/wallets.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import type { KeyCaller } from "../operation/route.ts";
import type { KnownAsset } from "./find.ts";
import type { Listed } from "./list.ts";
import { viewAsset } from "./view.ts";

type Asset = ReturnType<typeof viewAsset>;

/**
 * Builds the Assets of a page with a fixed number of queries; texts longer than the API accepts are truncated. The page
 * ends early where its answer would be too large, but has at least one entry.
 * @returns the number of `entries` of the list that the page covers
 */
export async function assetPage(
  tx: Transaction,
  caller: KeyCaller,
  { entries }: Pick<Listed, "entries">,
  finalNumber: number,
): Promise<{ assets: Asset[]; entries: number }> {
  const requestIds = entries.flatMap((entry) => ("request" in entry ? [entry.request] : []));
  const fitting = await requestsThatFit(tx, requestIds);
  const asked = byKey(await findRequests(tx, fitting), ({ id }) => id);
  const covered = fitting.length < requestIds.length ? fitting.length : entries.length;
  const ids = entries.slice(0, covered).flatMap((entry) => {
    if ("asset" in entry) return [entry.asset];
    return asked.get(entry.request)?.assetId ?? [];
  });
  const { readings, left } = await assetsThatFit(tx, ids);
  const onChain = byKey(readings, ({ chain }) => chain.id);
  const tooMuch = new Set(left);
  const mayWatch = await watcher(tx, caller);

  /** Undefined for an asset that is gone, null for one that was not read. */
  function view(entry: Listed["entries"][number]): Asset | null | undefined {
    const own = "request" in entry ? asked.get(entry.request) : undefined;
    const id = "asset" in entry ? entry.asset : own?.assetId;
    if (id === undefined) return undefined;
    if (tooMuch.has(id)) return null;
    const read = onChain.get(id);
    if (own !== undefined) return paged({ chain: read?.chain, request: own }, read?.links ?? []);
    if (read === undefined) return undefined;
    const { chain, links, request } = read;
    return paged({ chain, request: request !== undefined && mayWatch(request) ? request : undefined }, links);
  }
  const paged = (known: KnownAsset, links: AssetId[]): Asset =>
    viewAsset(known, links, finalNumber, limits.text);

  const assets: Asset[] = [];
  let bytes = 0;
  for (const [index, entry] of entries.slice(0, covered).entries()) {
    const one = view(entry);
    if (one === undefined) continue;
    if (one !== null) bytes += Buffer.byteLength(JSON.stringify(one));
    if (one === null || (bytes > limits.answerBytes && assets.length > 0)) return { assets, entries: index };
    assets.push(one);
  }
  return { assets, entries: covered };
}

/** Only the tenant and the author may see the request behind an asset. */
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
