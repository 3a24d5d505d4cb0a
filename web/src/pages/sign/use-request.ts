import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Transaction } from "asset-registry-client";
import { useEffect } from "react";
import { registry } from "../../service/client.ts";
import type { ReadAs } from "../../service/follow-events.ts";
import { RARELY, useEvents } from "../../service/useEvents.ts";
import { mayComeBack } from "./rules/deliver.ts";
import { readNote } from "./rules/note.ts";
import { pollPause } from "./rules/outlook.ts";
import { requireSame } from "./rules/same-request.ts";

/** Longest pause between two tries to read a request, in milliseconds. */
const LONGEST_PAUSE = 5_000;

const whileAway = {
  retry: (_count: number, error: unknown) => mayComeBack(error),
  retryDelay: (count: number) => Math.min(1_000 * 2 ** count, LONGEST_PAUSE),
};

/** Anybody who knows the id of a request may follow it without a credential. */
const asAnybody: ReadAs = (read) => read(registry);

/** A request with what there is to sign, and its state, which is followed. */
export function useRequest(id: string) {
  const client = useQueryClient();
  const detailsKey = ["transaction", id];
  const readSame = async (signal?: AbortSignal): Promise<Transaction> =>
    requireSame(id, client.getQueryData(detailsKey), await registry.transaction(id, signal && { signal }));
  const details = useQuery({
    queryKey: detailsKey,
    queryFn: ({ signal }) => readSame(signal),
    // Read anew before anything is signed, and now and then for its cost and what would be in its way.
    refetchInterval: ({ state }) => (state.data?.to == null ? false : 30_000),
    staleTime: 30_000,
    ...whileAway,
  });
  const statusKey = ["transaction-status", id];
  const isFollowed = details.data !== undefined;
  const isLive = useEvents({
    readAs: isFollowed ? asAnybody : undefined,
    query: { transactionId: id },
    queryKey: statusKey,
  });
  const status = useQuery({
    queryKey: statusKey,
    queryFn: ({ signal }) => registry.transactionStatus(id, { signal }),
    enabled: isFollowed,
    // A page in the background goes on, so that it is right when its reader comes back from the wallet.
    refetchIntervalInBackground: true,
    refetchInterval: ({ state }) => {
      const pause = pollPause(state.data?.state, readNote(id)?.answer !== undefined);
      return pause && isLive ? Math.max(pause, RARELY) : pause;
    },
    staleTime: 0,
  });

  const known = status.data ?? details.data;
  const isOpen = details.data !== undefined && details.data.to !== null;
  const isChanged = isOpen && known !== undefined && known.state !== details.data.state;
  useEffect(() => {
    // What there was to sign is over, or is there again after a reorg.
    if (isChanged) void client.invalidateQueries({ queryKey: ["transaction", id] });
  }, [client, id, isChanged]);

  return {
    asked: details.data,
    status: known,
    error: details.error,
    /** Whether the service or its node has not answered so far. */
    isAway: details.data === undefined && details.failureCount > 0 && details.isPending,
    /** Reads what there is to sign anew. @throws RequestError where it is not what is shown */
    read: (): Promise<Transaction> =>
      client.fetchQuery({ queryKey: detailsKey, queryFn: () => readSame(), staleTime: 0 }),
    /** Reads the state at once. */
    follow: () => client.invalidateQueries({ queryKey: statusKey }),
  };
}
