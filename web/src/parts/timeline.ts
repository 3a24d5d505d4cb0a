import type { AssetState, TransactionStatus } from "asset-registry-client";

/** When a state came is not always known of what the chain alone tells. */
type HistoryEntry = Omit<TransactionStatus["history"][number], "at"> & { at?: string | undefined };

/** A line of the timeline: something that happened, what holds now, or what comes next. */
export type TimelineRow = Partial<HistoryEntry> & {
  state: AssetState;
  kind: "past" | "now" | "ahead";
  /** A reorg of the chain undid what stands before it. */
  undone: boolean;
};

/** The way of a request that all goes well with; a signature that the service keeps for a moment is not announced. */
const way: readonly AssetState[] = ["Received", "Submitted", "Committed", "Confirmed"];

const rank = (state: AssetState): number => (state === "TxSignatureSubmitted" ? 0.5 : way.indexOf(state));

/** Whether a request in this state has ended without its change. */
export const isRevoked = (state: AssetState): boolean => rank(state) < 0;

/** The history of a request, oldest first, and the states that it still has before it. */
export function timelineOf(history: readonly HistoryEntry[]): TimelineRow[] {
  const rows = history.map((entry, at): TimelineRow => {
    const before = history[at - 1];
    const isLast = at === history.length - 1;
    return {
      ...entry,
      kind: isLast && entry.state !== "Confirmed" && !isRevoked(entry.state) ? "now" : "past",
      undone: before !== undefined && !isRevoked(entry.state) && rank(before.state) > rank(entry.state),
    };
  });
  const last = history.at(-1);
  if (last === undefined || isRevoked(last.state)) return rows;
  const ahead = way.filter((state) => rank(state) > rank(last.state));
  return [...rows, ...ahead.map((state): TimelineRow => ({ state, kind: "ahead", undone: false }))];
}
