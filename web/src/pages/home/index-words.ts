import type { ServiceStatus } from "asset-registry-client";
import { home } from "../../texts/en/home.ts";

const words = home.indexWords;

type Told = Pick<
  ServiceStatus,
  "indexedBlock" | "finalBlock" | "lag" | "confirmations" | "pendingRequests" | "indexerRunning"
>;

/** How far the index is, a sentence each. */
export function indexInWords(status: Told | undefined): string[] {
  if (status === undefined || status.indexedBlock === null) return [words.unknown];
  const { indexedBlock, finalBlock, lag, confirmations, pendingRequests, indexerRunning } = status;
  return [
    !indexerRunning
      ? words.stopped(indexedBlock)
      : lag === null || lag === 0
        ? words.current(indexedBlock)
        : words.behind(indexedBlock, lag),
    confirmations === "finalized" ? words.finalized : words.confirmations(confirmations),
    ...(finalBlock === null || finalBlock < 0 ? [] : [words.final(finalBlock)]),
    words.pending(pendingRequests),
  ];
}
