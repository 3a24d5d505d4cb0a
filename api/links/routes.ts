import { z } from "zod";
import type { AuditEvent } from "../../db/service/audit.ts";
import { deriveState } from "../../domain/request/state.ts";
import { visibleOutline } from "../assets/find.ts";
import { readRoute, writeRoute } from "../operation/define-route.ts";
import { assetId } from "../operation/fields.ts";
import { pagingQuery } from "../operation/paging.ts";
import type { Method } from "../operation/route.ts";
import { signUrlOf } from "../operation/sign-url.ts";
import { commitLinkChange, prepareLinkChange } from "./changes.ts";
import { linkPage, noLinks, viewLinks } from "./pages.ts";
import { linkChangeAnswer, linkSetAnswer, targets } from "./schema.ts";

const params = z.object({ assetId });
const path = "/assets/{assetId}/links";

function changeRoute(method: Method, kind: "link" | "revoke", summary: string) {
  return writeRoute({
    method,
    path,
    summary,
    access: "key",
    params,
    notFound: "ASSET_NOT_FOUND",
    body: targets,
    status: 202,
    answer: linkChangeAnswer,
    errors: [
      "ASSET_NOT_FOUND",
      "AUTHOR_NOT_YOURS",
      "ASSET_NOT_ON_CHAIN",
      "TARGET_NOT_FOUND",
      kind === "link" ? "ALREADY_LINKED" : "NOT_LINKED",
      "TOO_MANY_AT_ONCE",
      "TOO_MANY_OPEN_REQUESTS",
      "NODE_UNAVAILABLE",
      "NOT_READY",
    ],
    prepare: ({ caller, params: { assetId: parent }, body }, services) =>
      prepareLinkChange(services, caller, { kind, parent, children: body.targetAssetIds }),
    turn: ({ assetId: parent, tenant }) => `links of ${parent} by ${tenant}`,
    async commit(tx, plan, { publicUrl }) {
      const { request, isNew } = await commitLinkChange(tx, plan);
      const { id: transactionId, assetId: parent, author, facts } = request;
      const event: AuditEvent = {
        kind: kind === "link" ? "links.requested" : "revocation.requested",
        about: [parent, transactionId],
        address: author,
      };
      return {
        answer: {
          value: {
            id: parent,
            state: deriveState(facts).state,
            transactionId,
            signUrl: signUrlOf(publicUrl, transactionId),
          },
        },
        event: isNew ? event : undefined,
      };
    },
  });
}

export const linkRoutes = [
  changeRoute("post", "link", "Link an asset to others: generates the transaction that its author signs"),

  readRoute({
    method: "get",
    path,
    summary: "List the links of an asset in both directions",
    access: "either",
    params,
    query: z.strictObject(pagingQuery),
    notFound: "ASSET_NOT_FOUND",
    status: 200,
    answer: linkSetAnswer,
    errors: ["ASSET_NOT_FOUND"],
    async handle({ caller, params: { assetId }, query }, { pool, reads }) {
      const page = linkPage(assetId, query);
      const found = await reads.links(page.question);
      // A pending asset has no links, and is shown only to callers who may see it.
      if (found === undefined) await visibleOutline(pool, caller, assetId);
      return viewLinks(page, found ?? noLinks);
    },
  }),

  changeRoute("patch", "revoke", "Revoke links of an asset: generates the transaction that its author signs"),
];
