import { z } from "zod";
import { type InboxPage, inboxOfTenant, inboxOfUser } from "../../db/inbox.ts";
import { inSnapshot, type Transaction } from "../../db/pool.ts";
import type { Request } from "../../db/requests.ts";
import { deriveState } from "../../domain/state.ts";
import { type CursorScope, placeTime, readCursor, writeCursor } from "../cursor.ts";
import { pagingOf } from "../paging.ts";
import { type Caller, route } from "../route.ts";
import { inboxAnswer, inboxQuery } from "../schemas/inbox.ts";
import { viewHint } from "../status-view.ts";
import { isoTime } from "../time.ts";
import { summaryOf } from "../transaction-words.ts";

const inboxPlace = z.strictObject({ at: placeTime, id: z.uuid() });

export const inboxRoutes = [
  route({
    method: "get",
    path: "/transactions/",
    summary: "List what authors are asked to sign: of the key's tenant, or for the user's wallets",
    access: "either",
    query: inboxQuery,
    status: 200,
    answer: inboxAnswer,
    errors: [],
    async handle({ caller, query: { signer, state, ...asked } }, { pool }) {
      const { cursor, page, skip, size } = pagingOf(asked);
      const scope: CursorScope = ["transactions", caller.tenant ?? caller.user, signer, state];
      const after = cursor === undefined ? undefined : readCursor(scope, inboxPlace, cursor);
      const { requests, next } = await inSnapshot(pool, (snapshot) =>
        inboxOf(snapshot, caller, { signer, state, after, skip, size }),
      );
      // One that has just expired is noted as such within moments.
      const value = requests.map(viewEntry).filter((entry) => state === undefined || entry.state === state);
      return {
        value,
        meta: {
          size: value.length,
          ...(page === undefined ? {} : { page }),
          ...(next === undefined ? {} : { next: writeCursor(scope, next) }),
        },
      };
    },
  }),
];

/** A key shows its tenant's requests, with or without a token beside it. */
async function inboxOf(snapshot: Transaction, { tenant, user }: Caller, page: InboxPage) {
  if (tenant !== undefined) return await inboxOfTenant(snapshot, tenant, page);
  if (user !== undefined) return await inboxOfUser(snapshot, user, page);
  throw new Error("The list was asked for by nobody");
}

function viewEntry(request: Request): z.input<typeof inboxAnswer>[number] {
  const derived = deriveState(request.facts);
  return {
    id: request.id,
    kind: request.change.kind,
    assetId: request.assetId,
    signer: request.author,
    ...derived,
    hint: viewHint(request, derived),
    summary: summaryOf(request),
    createdAt: isoTime(request.createdAt),
    expiresAt: isoTime(request.expiresAt),
    transactionHash: request.transactionHash,
  };
}
