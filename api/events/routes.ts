import { z } from "zod";
import { limits } from "../../domain/limits.ts";
import { readRoute, streamRoute } from "../operation/define-route.ts";
import { entriesThatFit, pagingQuery } from "../operation/paging.ts";
import { eventsFilter, filterOf, positionOrLatest, resumeAfter } from "./filter.ts";
import { emptyPageAtEnd, readEventPage } from "./page.ts";
import { eventAnswer } from "./schema.ts";
import { viewEvent } from "./view.ts";

export const eventRoutes = [
  readRoute({
    method: "get",
    path: "/events/",
    summary:
      "Read what happened, in order: of the key's tenant, of the user's wallets, of one request or of the chain",
    access: "capability",
    query: z.strictObject({
      ...eventsFilter,
      after: positionOrLatest.optional().meta({
        description:
          "Sequence number of the event after which to begin; absent: with the oldest that is kept; `latest`: an empty page, whose `next` is the end of the log",
      }),
      size: pagingQuery.size,
    }),
    status: 200,
    answer: z.array(eventAnswer),
    errors: ["API_KEY_MISSING", "TRANSACTION_NOT_FOUND", "EVENT_AHEAD", "EVENTS_GONE"],
    async handle({ caller, query: { after, size = limits.page.default, ...asked } }, { pool }) {
      const filter = filterOf(caller, asked);
      const page =
        after === "latest"
          ? await emptyPageAtEnd(pool, filter)
          : await readEventPage(pool, filter, after, size);
      const views = page.events.map(viewEvent);
      const { count } = entriesThatFit(views);
      const next = count < views.length ? views[count - 1]?.sequence : page.next;
      return { value: views.slice(0, count), meta: { size: count, next: String(next) } };
    },
  }),

  streamRoute({
    path: "/events/stream",
    summary: "Follow what happens as it does: the same events as a stream (text/event-stream)",
    access: "capability",
    query: z.strictObject(eventsFilter),
    answer: eventAnswer,
    errors: ["API_KEY_MISSING", "TRANSACTION_NOT_FOUND", "EVENT_AHEAD", "EVENTS_GONE", "TOO_MANY_STREAMS"],
    async open({ caller, query: { after, ...asked }, lastEventIds, credentials, client }, { streams }) {
      const owner = caller.keyId ?? client;
      const hasCredential = caller.keyId !== undefined || caller.user !== undefined;
      const filter = filterOf(caller, asked);
      const position = resumeAfter(lastEventIds, after);
      return await streams.prepare({ filter, after: position, owner, hasCredential, credentials });
    },
  }),
];
