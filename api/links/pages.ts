import { z } from "zod";
import type { LinkPlace, LinkQuestion, LinkReading } from "../../db/reads/links.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Envelope } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { readCursor, writeCursor } from "../operation/page-cursor.ts";
import { type Asked, type Paging, pageMeta, pagingOf } from "../operation/paging.ts";

const linkPlace = z.tuple([z.int().min(-1), z.int().min(-1)]);

/** Behind which link each direction goes on; null where it has ended. */
const place = z.strictObject({ from: linkPlace.nullable(), to: linkPlace.nullable() });

const beginning: LinkPlace = [-1, -1];

/** What an asset without links is answered with. */
export const noLinks: LinkReading = { from: { ids: [], end: null }, to: { ids: [], end: null } };

/** A page of the links of an asset, as it was asked for. */
export type LinkPage = { question: LinkQuestion; paging: Paging; isPlain: boolean };

/**
 * Of which links of an asset a page of each direction is asked for: of all up to the published limit, where no page
 * is named.
 * @throws ApiError INVALID_REQUEST
 */
export function linkPage(id: AssetId, asked: Asked): LinkPage {
  const isPlain = Object.values(asked).every((parameter) => parameter === undefined);
  const paging = pagingOf(asked);
  const { cursor, skip } = paging;
  const start =
    cursor === undefined ? { from: beginning, to: beginning } : readCursor(scopeOf(id), place, cursor);
  return { question: { id, ...start, skip, size: isPlain ? limits.links : paging.size }, paging, isPlain };
}

/** The links of an asset that stand, in the order of linking. */
export function viewLinks(
  { question, paging, isPlain }: LinkPage,
  { from, to }: LinkReading,
): { value: { from: AssetId[]; to: AssetId[] }; meta?: NonNullable<Envelope["meta"]> } {
  const ended = from.end === null && to.end === null;
  const value = { from: from.ids, to: to.ids };
  if (isPlain && ended) return { value };
  const next = ended ? undefined : writeCursor(scopeOf(question.id), { from: from.end, to: to.end });
  return { value, meta: pageMeta(from.ids.length + to.ids.length, paging, next) };
}

const scopeOf = (id: AssetId) => ["links", id];
