import { z } from "zod";
import { inSnapshot } from "../../db/core/pool.ts";
import { outgoingLinks } from "../../db/reads/links.ts";
import { historyOf } from "../../db/service/requests/history.ts";
import { limits } from "../../domain/limits.ts";
import { assetId } from "../operation/fields.ts";
import { pageMeta, pagingOf } from "../operation/paging.ts";
import { route, writeRoute } from "../operation/route.ts";
import { commitCreation, prepareCreation } from "./creation.ts";
import { mayWatch, seenBy, unknownAsset, visibleAsset, visibleOutline } from "./find.ts";
import { hashWarning } from "./hash-warning.ts";
import { indexPoint } from "./index-point.ts";
import { listAssets } from "./list.ts";
import { assetPage } from "./page.ts";
import { askedFor, assetQuery } from "./query.ts";
import { assetAnswer, creation } from "./schema.ts";
import { statusAnswer } from "./state-schema.ts";
import { viewStatus } from "./status-view.ts";
import { assetJson } from "./view.ts";

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
    async commit(tx, plan) {
      const request = await commitCreation(tx, plan);
      const { method, hash } = plan.change.details;
      const json = assetJson({ chain: undefined, request }, "[]", request.facts.finalBlock);
      const warning = hashWarning(method, hash);
      return {
        answer: { json, ...(warning && { meta: { warnings: [warning] } }) },
        event: { kind: "asset.requested", about: [request.assetId, request.id], address: request.author },
      };
    },
  }),

  route({
    method: "get",
    path: "/assets/",
    summary: "List and search assets: those of the chain, and the tenant's own on their way there",
    access: "key",
    query: assetQuery,
    status: 200,
    answer: z.array(assetAnswer),
    errors: [],
    handle: ({ caller, query }, { pool, confirmations }) =>
      inSnapshot(pool, async (snapshot) => {
        const paging = pagingOf(query);
        const { warning, ...asked } = askedFor(query);
        const index = await indexPoint(snapshot, confirmations);
        const listed = await listAssets(snapshot, caller.tenant, asked, paging, index);
        const { assets, entries } = await assetPage(snapshot, caller, listed, index.finalNumber);
        // A state may have changed since it was noted.
        const shown = assets.filter(({ state }) => asked.state === undefined || state === asked.state);
        const json = `[${shown.map((asset) => asset.json).join()}]`;
        const isWhole = entries === listed.entries.length;
        const next = isWhole ? listed.next : listed.entries[entries - 1]?.cursor();
        const meta = pageMeta(shown.length, paging, next);
        return { json, meta: { ...meta, ...(warning && { warnings: [warning] }) } };
      }),
  }),

  route({
    method: "get",
    path: "/assets/{assetId}",
    summary: "Read an asset, on the chain or on its way there",
    access: "either",
    params,
    notFound: "ASSET_NOT_FOUND",
    confirmsKey: true,
    status: 200,
    answer: assetAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ caller, params: { assetId } }, { pool, reads, confirmations }) {
      const read = await reads.asset(assetId, caller.claim);
      if (read !== undefined) {
        return { json: assetJson(await seenBy(pool, caller, read), read.links, read.finalBlock) };
      }
      return inSnapshot(pool, async (snapshot) => {
        const known = await visibleAsset(snapshot, caller, assetId);
        const links = await outgoingLinks(snapshot, [assetId], limits.links);
        const { finalNumber } = await indexPoint(snapshot, confirmations);
        return { json: assetJson(known, JSON.stringify(links.get(assetId) ?? []), finalNumber) };
      });
    },
  }),

  route({
    method: "get",
    path: "/assets/{assetId}/status",
    summary: "Read how far the creation of an asset is",
    access: "either",
    params,
    notFound: "ASSET_NOT_FOUND",
    confirmsKey: true,
    status: 200,
    answer: statusAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ caller, params: { assetId } }, { pool, reads, confirmations }) {
      const read = await reads.status(assetId, caller.claim);
      if (read !== undefined) {
        return { value: viewStatus(await seenBy(pool, caller, read), read.noted, read.index) };
      }
      const pending = await reads.pending(assetId);
      if (pending !== undefined && pending.request.facts.effect === undefined) {
        const { request, noted, index } = pending;
        if (!(await mayWatch(pool, caller, request))) throw unknownAsset(assetId);
        return {
          value: viewStatus(
            { chain: undefined, request },
            noted,
            index ?? { blockNumber: -1, finalNumber: -1, confirmations },
          ),
        };
      }
      // It may have come on the chain, or been asked for, between the two questions.
      return inSnapshot(pool, async (snapshot) => {
        const known = await visibleOutline(snapshot, caller, assetId);
        const noted = known.request === undefined ? [] : await historyOf(snapshot, known.request.id);
        return { value: viewStatus(known, noted, await indexPoint(snapshot, confirmations)) };
      });
    },
  }),
];
