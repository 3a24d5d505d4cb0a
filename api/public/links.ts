import { z } from "zod";
import type { HistoryPlace, HistoryReading, PastLink } from "../../db/reads/link-history.ts";
import { type LinksPage, pagesOfBoth } from "../links/both-directions.ts";
import type { Answer } from "../operation/route.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import type { publicLinksAnswer } from "./schema.ts";

const pages = pagesOfBoth<HistoryPlace>(
  "public links",
  z.tuple([z.literal([0, 1]), z.int().min(-1), z.int().min(-1)]),
  [0, -1, -1],
);

/** Reads the requested page of the links that an asset has or had. */
export const historyPage = pages.page;

export const viewLinkHistory = (
  page: LinksPage<HistoryPlace>,
  { from, to }: HistoryReading,
): Answer<z.input<typeof publicLinksAnswer>> =>
  pages.answer(
    page,
    { from: from.links.map(viewLink), to: to.links.map(viewLink) },
    { from: from.end, to: to.end },
  );

const viewLink = ({ id, addedOn, revokedOn, isFinal }: PastLink) => ({
  id,
  addedOn: isoTime(chainTime(addedOn)),
  ...(revokedOn !== undefined && { revokedOn: isoTime(chainTime(revokedOn)) }),
  final: isFinal,
});
