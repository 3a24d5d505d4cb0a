import type { z } from "zod";
import type { Pool } from "../../db/core/pool.ts";
import { type PageReading, readAssetPage } from "../../db/reads/asset-list/mixed-page.ts";
import type { RequestRef } from "../../db/service/requests/request.ts";
import { walletsOf } from "../../db/service/wallets.ts";
import { limits } from "../../domain/limits.ts";
import type { KeyCaller } from "../operation/caller.ts";
import type { Listed } from "./list.ts";
import type { assetAnswer } from "./schema.ts";
import { viewAsset } from "./view.ts";

type Asset = z.input<typeof assetAnswer>;

export type AssetPage = {
  assets: Asset[];
  /** How many entries of the list the page covers. */
  entries: number;
  /** Whether its texts may be too many for one answer. */
  isLarge: boolean;
};

/**
 * Builds the Assets of a page by one statement; texts longer than the API accepts are truncated. The page ends early
 * where its answer would be too large, but has at least one entry.
 */
export async function assetPage(
  pool: Pool,
  caller: KeyCaller,
  { entries }: Pick<Listed, "entries">,
): Promise<AssetPage> {
  const readings = readWithList(entries) ?? (await readAssetPage(pool, entries));
  const mayWatch = await watcher(pool, caller);
  const assets = readings.map((reading) => reading && view(reading, mayWatch));
  const isLarge = assets.reduce((sum, asset) => sum + mostBytes(asset), 0) > limits.answerBytes;
  const covered = isLarge ? entriesThatFit(assets) : assets.length;
  return {
    assets: assets.slice(0, covered).filter((asset) => asset !== undefined),
    entries: covered,
    isLarge,
  };
}

/** The part that was read together with the list; undefined where anything has to be read still. */
function readWithList(entries: Listed["entries"]): PageReading[] | undefined {
  const readings: PageReading[] = [];
  for (const entry of entries) {
    if (!("asset" in entry)) return undefined;
    // It would make the answer too large, or none was read.
    if (entry.read === undefined) return readings.length === 0 ? undefined : readings;
    readings.push({ chain: entry.read, request: undefined });
  }
  return readings;
}

/** How many of these fit into an answer as JSON, one in any case. */
function entriesThatFit(assets: readonly (Asset | undefined)[]): number {
  let bytes = 0;
  for (const [index, asset] of assets.entries()) {
    const before = bytes;
    bytes += asset === undefined ? 0 : Buffer.byteLength(JSON.stringify(asset));
    if (bytes > limits.answerBytes && before > 0) return index;
  }
  return assets.length;
}

/** Bytes of JSON that a character has at most, escaped, and of an Asset beside its texts. */
const most = { character: 6, asset: 2_500, link: 80 };

/** More bytes than an Asset has as JSON; to count them takes as long as to serialise it. */
function mostBytes(asset: Asset | undefined): number {
  if (asset === undefined) return 0;
  let characters = asset.name.length;
  for (const { value } of asset.customDefinitionItems) characters += value.length;
  return most.asset + most.link * asset.assetLinkIds.length + most.character * characters;
}

/** @returns undefined of a request that is there no more */
function view(
  { chain: read, request }: NonNullable<PageReading>,
  mayWatch: (request: RequestRef) => boolean,
): Asset | undefined {
  if (read === undefined) {
    return request && viewAsset({ chain: undefined, request }, [], request.facts.finalBlock, limits.text);
  }
  const behind = request ?? (read.request && mayWatch(read.request) ? read.request : undefined);
  return viewAsset({ chain: read.chain, request: behind }, read.links, read.finalBlock, limits.text);
}

/** Only the tenant and the author may see the request behind an asset. */
async function watcher(pool: Pool, { tenant, user }: KeyCaller): Promise<(request: RequestRef) => boolean> {
  const wallets = user === undefined ? [] : await walletsOf(pool, user);
  const addresses = new Set<string>(wallets.map(({ address }) => address));
  return (request) => request.tenant === tenant || addresses.has(request.author);
}
