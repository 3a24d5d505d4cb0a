import { z } from "zod";
import type { Pool } from "../../db/core/pool.ts";
import { type InboxPage, inboxOfTenant, inboxOfUser } from "../../db/service/inbox.ts";
import type { ListedRequest } from "../../db/service/requests/request.ts";
import { deriveState } from "../../domain/request/state.ts";
import { viewHint } from "../assets/status-view.ts";
import type { Caller } from "../operation/caller.ts";
import { readRoute } from "../operation/define-route.ts";
import { type CursorScope, placeTime, readCursor, writeCursor } from "../operation/page-cursor.ts";
import { entriesThatFit, pagingOf } from "../operation/paging.ts";
import { signUrlOf } from "../operation/sign-url.ts";
import { isoTime } from "../operation/time.ts";
import { summaryOf } from "../transactions/decoded-call.ts";
import { inboxAnswer, inboxQuery } from "./schema.ts";

const inboxPlace = z.strictObject({ at: placeTime, id: z.uuid() });

export const inboxRoutes = [
  readRoute({
    method: "get",
    path: "/transactions/",
    summary: "List what authors are asked to sign: of the key's tenant, or for the user's wallets",
    access: "either",
    query: inboxQuery,
    status: 200,
    answer: inboxAnswer,
    errors: [],
    async handle({ caller, query: { signer, state, ...asked } }, { pool, publicUrl }) {
      const { cursor, page, skip, size } = pagingOf(asked);
      const scope: CursorScope = ["transactions", caller.tenant ?? caller.user, signer, state];
      const after = cursor === undefined ? undefined : readCursor(scope, inboxPlace, cursor);
      const { entries, more } = await inboxOf(pool, caller, { signer, state, after, skip, size });
      const views = entries.map(({ request }) => viewEntry(request, publicUrl));
      const { count: covered } = entriesThatFit(views);
      // An expired request is stored as such within moments.
      const value = views.slice(0, covered).filter((entry) => state === undefined || entry.state === state);
      const last = covered < entries.length || more ? entries[covered - 1] : undefined;
      return {
        value,
        meta: {
          size: value.length,
          ...(page === undefined ? {} : { page }),
          ...(last === undefined ? {} : { next: writeCursor(scope, last.place) }),
        },
      };
    },
  }),
];

/** With a key the tenant's requests, with a token alone those of the user's wallets. */
async function inboxOf(pool: Pool, { tenant, user }: Caller, page: InboxPage) {
  if (tenant !== undefined) return await inboxOfTenant(pool, tenant, page);
  if (user !== undefined) return await inboxOfUser(pool, user, page);
  throw new Error("The list was asked for by nobody");
}

function viewEntry(request: ListedRequest, publicUrl: string): z.input<typeof inboxAnswer>[number] {
  const derived = deriveState(request.facts);
  return {
    id: request.id,
    signUrl: signUrlOf(publicUrl, request.id),
    kind: request.change.kind,
    assetId: request.assetId,
    assetName: request.change.kind === "create" ? request.change.details.name : null,
    signer: request.author,
    requestedBy: request.tenant,
    ...derived,
    hint: viewHint(request, derived),
    summary: summaryOf(request),
    createdAt: isoTime(request.createdAt),
    expiresAt: isoTime(request.expiresAt),
    transactionHash: request.transactionHash,
  };
}
