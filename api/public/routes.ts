import { z } from "zod";
import type { AssetId } from "../../domain/asset/asset.ts";
import { ApiError } from "../../domain/errors.ts";
import { readRoute } from "../operation/define-route.ts";
import { assetId } from "../operation/fields.ts";
import { pagingQuery } from "../operation/paging.ts";
import { historyPage, viewLinkHistory } from "./links.ts";
import { publicAssetAnswer, publicLinksAnswer } from "./schema.ts";
import { findPublic, publicQuery } from "./search.ts";
import { viewPublicAsset } from "./view.ts";

const params = z.object({ assetId });

/** The same answer for an asset that nobody knows and for one that is not on the chain yet, which is nobody's business. */
export const notOnChain = (id: AssetId) =>
  new ApiError("ASSET_NOT_FOUND", `There is no asset ${id} on the chain.`);

export const publicRoutes = [
  readRoute({
    method: "get",
    path: "/public/assets/",
    summary: "List and search the assets of the chain",
    access: "public",
    query: publicQuery,
    status: 200,
    answer: z.array(publicAssetAnswer),
    errors: ["TOO_MANY_AT_ONCE"],
    handle: ({ query }, services) => findPublic(services, query),
  }),

  readRoute({
    method: "get",
    path: "/public/assets/{assetId}",
    summary: "Read what the chain says of an asset",
    access: "public",
    params,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: publicAssetAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ params: { assetId } }, { reads, registry }) {
      const [read, position] = await Promise.all([reads.asset(assetId), reads.position(assetId)]);
      if (read === undefined || position === undefined) throw notOnChain(assetId);
      return { value: viewPublicAsset(await registry.recent(), read, position) };
    },
  }),

  readRoute({
    method: "get",
    path: "/public/assets/{assetId}/links",
    summary: "Read which links an asset has and had, in both directions",
    access: "public",
    params,
    query: z.strictObject(pagingQuery),
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: publicLinksAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ params: { assetId }, query }, { reads }) {
      const page = historyPage(assetId, query);
      const found = await reads.linkHistory(page.question);
      if (found === undefined) throw notOnChain(assetId);
      return viewLinkHistory(page, found);
    },
  }),
];
