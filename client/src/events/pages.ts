import type { Call } from "../call.ts";
import { ConnectionError } from "../errors.ts";
import { type ListQuery, queryString } from "../pages.ts";
import type { RegistryEvent } from "../types/event.ts";
import { checkEvent } from "./parse-event.ts";

type EventPage = {
  events: RegistryEvent[];
  /** Sequence after which is read on: of the last event, or where the log ends. */
  next: number;
};

/**
 * The pages of the log to its end: after a position, or from the oldest event that is kept, each event once and in
 * order. After `latest` there is one empty page, which says where the end is.
 */
export async function* readEventPages(
  call: Call,
  query: ListQuery,
  after: number | "latest" | undefined,
  options: Parameters<Call>[3],
): AsyncGenerator<EventPage> {
  for (let position = after; ; ) {
    const path = `/events/${queryString({ ...query, after: position })}`;
    const { value, meta } = await call("GET", path, undefined, options);
    const next = Number(meta?.next);
    if (!Array.isArray(value) || meta?.next === undefined || !Number.isSafeInteger(next)) {
      throw new ConnectionError("What came as a page of events is none of the service.");
    }
    let newest = typeof position === "number" ? position : -1;
    const events = value.map(checkEvent).filter(({ sequence }) => {
      const isNew = sequence > newest;
      if (isNew) newest = sequence;
      return isNew;
    });
    yield { events, next };
    // At the end of the log the service answers a position that may lie behind the last event, or the same one again.
    const isEnd = events.at(-1)?.sequence !== next || next <= (typeof position === "number" ? position : -1);
    if (isEnd) return;
    position = next;
  }
}
