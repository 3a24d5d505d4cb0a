import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { MINE } from "../../identity/sessions.ts";
import type { AsMe } from "../../identity/use-my-registry.ts";
import { RARELY } from "../../service/useEvents.ts";
import { readEntries, type Which } from "./entries.ts";

/** Requests that are shown at first, and more at each wish. */
const STEP = 20;
/** Milliseconds between two looks. */
const PAUSE = 5_000;

/** @param isLive whether changes are told as they happen */
export const pauseOf = (isLive: boolean): number => (isLive ? RARELY : PAUSE);

/** The user's requests of a kind, which are kept up to date. */
export function useEntries(asMe: AsMe, which: Which, isLive: boolean) {
  const [most, setMost] = useState(STEP);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [MINE, "inbox", which, most],
    queryFn: ({ signal }) => asMe((registry) => readEntries(registry, which, most, signal)),
    placeholderData: keepPreviousData,
    refetchInterval: pauseOf(isLive),
  });
  return {
    entries: data?.entries,
    hasMore: data?.more ?? false,
    error,
    isReading: isFetching,
    isReadingOn: isPlaceholderData,
    more: () => setMost((before) => (isPlaceholderData ? before : before + STEP)),
    again: () => void refetch(),
  };
}
