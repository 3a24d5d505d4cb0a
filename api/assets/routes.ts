import { z } from "zod";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { assetId } from "../operation/fields.ts";
import { pageMeta, pagingOf } from "../operation/paging.ts";
import { commitCreation, prepareCreation } from "./creation.ts";
import { visibleAsset, visibleStatus } from "./find.ts";
import { hashWarning } from "./hash-warning.ts";
import { listAssets } from "./list.ts";
import { assetPage } from "./page.ts";
import { askedFor, assetQuery } from "./query.ts";
import { assetAnswer, creation } from "./schema.ts";
import { statusAnswer } from "./state-schema.ts";
import { viewStatus } from "./status-view.ts";
import { viewAsset } from "./view.ts";

const params = z.object({ assetId });

export const assetRoutes = [
  writeRoute({
    method: "post",
    path: "/assets/",
    summary: "Request a new asset: generates the transaction that its author signs",
    access: "key",
    body: creation,
    status: 202,
    answer: assetAnswer,
    warns: true,
    errors: ["AUTHOR_NOT_YOURS", "TOO_MANY_OPEN_REQUESTS", "NODE_UNAVAILABLE", "NOT_READY"],
    prepare: ({ caller, body: { author, ...details } }, services) =>
      prepareCreation(services, caller, { author, details }),
    async commit(tx, plan, { publicUrl }) {
      const request = await commitCreation(tx, plan);
      const { method, hash } = plan.change.details;
      const { finalBlock } = request.facts;
      const value = viewAsset({ chain: undefined, request }, { links: [], finalBlock, publicUrl });
      const warning = hashWarning(method, hash);
      return {
        answer: { value, ...(warning && { meta: { warnings: [warning] } }) },
        event: { kind: "asset.requested", about: [request.assetId, request.id], address: request.author },
      };
    },
  }),

  readRoute({
    method: "get",
    path: "/assets/",
    summary: "List and search assets: those of the chain, and the tenant's own on their way there",
    access: "key",
    query: assetQuery,
    status: 200,
    answer: z.array(assetAnswer),
    errors: ["TOO_MANY_AT_ONCE"],
    async handle({ caller, query }, services) {
      const paging = pagingOf(query);
      const { warning, ...asked } = askedFor(query);
      const { listed, assets, entries } = await services.listTurns(caller.tenant, paging.size, async () => {
        const listed = await listAssets(services, caller.tenant, asked, paging);
        return { listed, ...(await assetPage(services, caller, listed)) };
      });
      // A state may have changed since it was noted.
      const value = assets.filter(({ state }) => asked.state === undefined || state === asked.state);
      const isWhole = entries === listed.entries.length;
      const next = isWhole ? listed.next : listed.entries[entries - 1]?.cursor();
      const meta = pageMeta(value.length, paging, next);
      return { value, meta: { ...meta, ...(warning && { warnings: [warning] }) } };
    },
  }),

  readRoute({
    method: "get",
    path: "/assets/{assetId}",
    summary: "Read an asset, on the chain or on its way there",
    access: "either",
    params,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: assetAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ caller, params: { assetId } }, services) {
      const { known, links, finalBlock } = await visibleAsset(services, caller, assetId);
      return { value: viewAsset(known, { links, finalBlock, publicUrl: services.publicUrl }) };
    },
  }),

  readRoute({
    method: "get",
    path: "/assets/{assetId}/status",
    summary: "Read how far the creation of an asset is",
    access: "either",
    params,
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: statusAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ caller, params: { assetId } }, services) {
      const { known, noted, index } = await visibleStatus(services, caller, assetId);
      return { value: viewStatus(known, noted, index, services.publicUrl) };
    },
  }),
];
