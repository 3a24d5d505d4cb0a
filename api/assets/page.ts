import type { z } from "zod";
import type { Pool } from "../../db/core/pool.ts";
import { type PageReading, readAssetPage } from "../../db/reads/asset-list/mixed-page.ts";
import type { RequestRef } from "../../db/service/requests/request.ts";
import { walletsOf } from "../../db/service/wallets.ts";
import { limits } from "../../domain/limits.ts";
import type { KeyCaller } from "../operation/caller.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { type Extent, type FittedPage, fitPage } from "./fit-page.ts";
import type { Listed } from "./list.ts";
import type { assetAnswer } from "./schema.ts";
import { viewAsset } from "./view.ts";

type Asset = z.input<typeof assetAnswer>;

/**
 * Builds the Assets of a page by one statement; texts longer than the API accepts are truncated. The page ends early
 * where its answer would be too large, but has at least one entry.
 */
export async function assetPage(
  { pool, publicUrl }: Pick<Dependencies, "pool" | "publicUrl">,
  caller: KeyCaller,
  { entries }: Pick<Listed, "entries">,
): Promise<FittedPage<Asset>> {
  const readings = await readPage(pool, entries);
  const mayWatch = await watcher(pool, caller);
  return fitPage(
    readings.map((reading) => reading && view(reading, mayWatch, publicUrl)),
    extentOf,
    entries.length,
  );
}

/** Reads the beginning of a page whose texts fit together into an answer, one entry in any case. */
export async function readPage(pool: Pool, entries: Listed["entries"]): Promise<PageReading[]> {
  return readWithList(entries) ?? (await readAssetPage(pool, entries));
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

function extentOf({ name, customDefinitionItems, assetLinkIds }: Asset): Extent {
  let characters = name.length;
  for (const { value } of customDefinitionItems) characters += value.length;
  return { characters, links: assetLinkIds.length };
}

/** @returns undefined of a request that is there no more */
function view(
  { chain: read, request }: NonNullable<PageReading>,
  mayWatch: (request: RequestRef) => boolean,
  publicUrl: string,
): Asset | undefined {
  if (read === undefined) {
    if (request === undefined) return undefined;
    const { finalBlock } = request.facts;
    return viewAsset({ chain: undefined, request }, { links: [], finalBlock, publicUrl }, limits.text);
  }
  const behind = request ?? (read.request && mayWatch(read.request) ? read.request : undefined);
  const { chain, links, finalBlock } = read;
  return viewAsset({ chain, request: behind }, { links, finalBlock, publicUrl }, limits.text);
}

/** Only the tenant and the author may see the request behind an asset. */
async function watcher(pool: Pool, { tenant, user }: KeyCaller): Promise<(request: RequestRef) => boolean> {
  const wallets = user === undefined ? [] : await walletsOf(pool, user);
  const addresses = new Set<string>(wallets.map(({ address }) => address));
  return (request) => request.tenant === tenant || addresses.has(request.author);
}
