import type { PublicLinks } from "asset-registry-client";
import { registry } from "../../../service/client.ts";
import { useIndexedBlock } from "../../../service/status.ts";
import { type Listing, useListing } from "../../../service/useListing.ts";
import { isLastPage, type LinkRow, linkRows } from "./link-rows.ts";

/** Links of each direction that are read at once. */
const SIZE = 100;

/** The links of an asset as far as they were read. */
export type Links = Omit<Listing<PublicLinks>, "entries"> & Record<"to" | "from" | "revoked", LinkRow[]>;

/** Reads the links of an asset page by page. */
export function useLinks(id: string): Links {
  const { entries, state, ...listing } = useListing(
    id,
    (signal) => registry.publicLinkPages(id, { size: SIZE }, { signal }),
    { step: 1, asOf: useIndexedBlock() },
  );
  const last = entries.at(-1);
  const isAll = state === "more" && last !== undefined && isLastPage(last, SIZE);
  return { ...listing, state: isAll ? "end" : state, ...linkRows(entries) };
}
