import { z } from "zod";
import { standingLinks } from "../../db/links.ts";
import { inSnapshot } from "../../db/pool.ts";
import { deriveState } from "../../domain/state.ts";
import { visibleAsset } from "../assets.ts";
import { assetId, targetIds } from "../fields.ts";
import { requestLinkChange } from "../link-changes.ts";
import { type Method, route } from "../route.ts";
import { state } from "../status-view.ts";

const params = z.object({ assetId });
const path = "/assets/{assetId}/links";

const targets = z
  .strictObject({
    targetAssetIds: targetIds.meta({ description: "Assets that the asset in the path points to" }),
  })
  .meta({ id: "LinkTargets" });

/** SPEC 2.5, and the transaction to sign. */
const changeAnswer = z.strictObject({ id: z.string(), state, transactionId: z.string() });

function changeRoute(method: Method, kind: "link" | "revoke", summary: string) {
  return route({
    method,
    path,
    summary,
    access: "key",
    params,
    notFound: "ASSET_NOT_FOUND",
    body: targets,
    status: 202,
    answer: changeAnswer,
    errors: [
      "ASSET_NOT_FOUND",
      "AUTHOR_NOT_YOURS",
      "ASSET_NOT_ON_CHAIN",
      "TARGET_NOT_FOUND",
      kind === "link" ? "ALREADY_LINKED" : "NOT_LINKED",
      "NODE_UNAVAILABLE",
      "NOT_READY",
    ],
    async handle({ caller, params: { assetId: parent }, body }, services) {
      const change = { kind, parent, children: body.targetAssetIds };
      const request = await requestLinkChange(services, caller, change);
      return { value: { id: parent, state: deriveState(request.facts).state, transactionId: request.id } };
    },
  });
}

export const linkRoutes = [
  changeRoute("post", "link", "Link an asset to others: generates the transaction that its author signs"),

  route({
    method: "get",
    path,
    summary: "List the links of an asset in both directions",
    access: "key",
    params,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: z.strictObject({ from: z.array(z.string()), to: z.array(z.string()) }),
    errors: ["ASSET_NOT_FOUND"],
    handle: ({ caller, params: { assetId } }, { pool }) =>
      inSnapshot(pool, async (snapshot) => {
        await visibleAsset(snapshot, caller, assetId);
        return { value: await standingLinks(snapshot, assetId) };
      }),
  }),

  changeRoute("patch", "revoke", "Revoke links of an asset: generates the transaction that its author signs"),
];
