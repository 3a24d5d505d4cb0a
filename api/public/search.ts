import { z } from "zod";
import { detailFields } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { type Extent, fitPage } from "../assets/fit-page.ts";
import { type AssetQuery, everybody, listAssets } from "../assets/list.ts";
import { readPage } from "../assets/page.ts";
import { askedFor, assetQuery } from "../assets/query.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { pageMeta, pagingOf, pagingQuery } from "../operation/paging.ts";
import type { Answer } from "../operation/route.ts";
import { type PublicAsset, viewPublicAsset } from "./view.ts";

const { hash, method, author, name, words, linkedTo, linkedFrom } = assetQuery.shape;

/** The parameters of `GET /public/assets/`. */
export const publicQuery = z.strictObject({
  ...{ hash, method, author, name, words, linkedTo, linkedFrom },
  ...pagingQuery,
});

/**
 * Lists the assets of the chain that a search finds, the newest first; without one, all.
 * @throws ApiError INVALID_REQUEST where a hash is given that cannot be looked for
 */
export async function findPublic(
  services: Dependencies,
  query: z.output<typeof publicQuery>,
): Promise<Answer<PublicAsset[]>> {
  const paging = pagingOf(query);
  const { warning, ...asked } = askedFor(query);
  const { listed, assets, entries } = await services.listTurns(turnOf(asked), paging.size, async () => {
    const listed = await listAssets(services, everybody, asked, paging);
    return { listed, ...(await publicPage(services, listed)) };
  });
  const isWhole = entries === listed.entries.length;
  const next = isWhole ? listed.next : listed.entries[entries - 1]?.cursor();
  const meta = pageMeta(assets.length, paging, next);
  return { value: assets, meta: { ...meta, ...(warning && { warnings: [warning] }) } };
}

/** By file, author or link, so that large assets of one hold up nobody who looks for another. */
const turnOf = ({ file, author, linkedTo, linkedFrom }: AssetQuery): string =>
  `${everybody} ${file?.toString("hex") ?? author ?? linkedTo ?? linkedFrom ?? ""}`;

async function publicPage(
  services: Dependencies,
  { entries }: Awaited<ReturnType<typeof listAssets>>,
): Promise<ReturnType<typeof fitPage<PublicAsset>>> {
  const [registry, readings] = await Promise.all([
    services.registry.recent(),
    readPage(services.pool, entries),
  ]);
  const shown = await Promise.all(
    readings.map(async (reading) => {
      const read = reading?.chain;
      // Undefined of what a reorg has removed since.
      const position = read && (await services.reads.position(read.chain.id));
      return read && position && viewPublicAsset(registry, read, position, limits.text);
    }),
  );
  return fitPage(shown, extentOf, entries.length);
}

const extentOf = (asset: PublicAsset): Extent => ({
  characters: detailFields.reduce((sum, field) => sum + asset[field].length, 0),
  links: 0,
});
