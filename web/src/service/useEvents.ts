import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import type { EventQuery } from "asset-registry-client";
import { useEffect, useRef, useState } from "react";
import { followEvents, type ReadAs } from "./follow-events.ts";

/** Milliseconds between two looks at what is told as it happens: what passes by time alone is told later. */
export const RARELY = 10_000;
/** Milliseconds for which changes are gathered, so that many of them are read once. */
const GATHERED = 100;

type EventsOptions = {
  /** As whom; undefined: nothing is followed. It must stay the same function. */
  readAs: ReadAs | undefined;
  query?: EventQuery;
  /** The answers of these queries are read anew with each change. */
  queryKey: QueryKey;
};

/**
 * Has queries read anew when something happened.
 * @returns whether that works, so that they need not be asked again and again
 */
export function useEvents({ readAs, query = {}, queryKey }: EventsOptions): boolean {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  const key = useRef(queryKey);
  key.current = queryKey;
  const { assetId, transactionId } = query;
  const kinds = query.kinds?.join();
  useEffect(() => {
    if (readAs === undefined) return;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        void client.invalidateQueries({ queryKey: key.current });
      }, GATHERED);
    };
    const filter = { assetId, transactionId, kinds: kinds?.split(",") as EventQuery["kinds"] };
    const end = followEvents(readAs, filter, { changed, live: setLive }, window);
    return () => {
      clearTimeout(gathering);
      end();
    };
  }, [client, readAs, assetId, transactionId, kinds]);
  return isLive;
}
