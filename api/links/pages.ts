import { z } from "zod";
import type { LinkPlace, LinkReading } from "../../db/reads/links.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { type LinksPage, pagesOfBoth } from "./both-directions.ts";

const pages = pagesOfBoth<LinkPlace>("links", z.tuple([z.int().min(-1), z.int().min(-1)]), [-1, -1]);

/** The answer for an asset without links. */
export const noLinks: LinkReading = { from: { ids: [], end: null }, to: { ids: [], end: null } };

/** Reads the requested page of an asset's links. */
export const linkPage = pages.page;

/** The current links of an asset, in the order of linking. */
export const viewLinks = (page: LinksPage<LinkPlace>, { from, to }: LinkReading) =>
  pages.answer<AssetId>(page, { from: from.ids, to: to.ids }, { from: from.end, to: to.end });
