import type { InboxEntry, RegistryClient } from "asset-registry-client";

/** Requests that wait for a signature, or all that were answered or have ended. */
export type Which = "open" | "answered";

/** The first requests of a kind, newest first, and whether there may be more. */
export type Entries = { entries: InboxEntry[]; more: boolean };

/** Requests that one call of the service answers at most. */
const LARGEST_PAGE = 200;
/** How many of the others are looked at for each that is shown: an inbox that is full of them is read in steps. */
const PATIENCE = 20;

/** Reads the first `most` requests of a kind. */
export async function readEntries(
  registry: Pick<RegistryClient, "transactions">,
  which: Which,
  most: number,
  signal?: AbortSignal,
): Promise<Entries> {
  const size = Math.min(most + 1, LARGEST_PAGE);
  const query = which === "open" ? { state: "Received", size } : { size };
  const entries: InboxEntry[] = [];
  let seen = 0;
  for await (const entry of registry.transactions(query, { signal })) {
    const isOpen = entry.state === "Received";
    seen += 1;
    if (isOpen === (which === "open")) entries.push(entry);
    if (entries.length > most || seen > most * PATIENCE)
      return { entries: entries.slice(0, most), more: true };
  }
  return { entries, more: false };
}
