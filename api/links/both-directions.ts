import { z } from "zod";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Envelope } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { readCursor, writeCursor } from "../operation/page-cursor.ts";
import { type Asked, type Paging, pageMeta, pagingOf } from "../operation/paging.ts";

/** The place after which each direction continues; null where it has ended. */
type Places<Place> = { from: Place | null; to: Place | null };

/** A requested page of an asset's links in both directions. */
export type LinksPage<Place> = {
  question: Places<Place> & { id: AssetId; skip: number; size: number };
  paging: Paging;
  isPlain: boolean;
};

type Answered<Link> = { value: { from: Link[]; to: Link[] }; meta?: NonNullable<Envelope["meta"]> };

/**
 * Pages of links, from and to an asset, by one cursor for both.
 * @param list name of the list, to which its cursors belong
 * @param beginning the place before the first link
 */
export function pagesOfBoth<Place>(list: string, place: z.ZodType<Place>, beginning: Place) {
  const places = z.strictObject({ from: place.nullable(), to: place.nullable() });
  const scopeOf = (id: AssetId) => [list, id];

  return {
    /**
     * The requested page of each direction; without paging, all links up to the published limit.
     * @throws ApiError INVALID_REQUEST
     */
    page(id: AssetId, asked: Asked): LinksPage<Place> {
      const isPlain = Object.values(asked).every((parameter) => parameter === undefined);
      const paging = pagingOf(asked);
      const { cursor, skip } = paging;
      const start: Places<Place> =
        cursor === undefined ? { from: beginning, to: beginning } : readCursor(scopeOf(id), places, cursor);
      const size = isPlain ? limits.links : paging.size;
      return { question: { id, ...start, skip, size }, paging, isPlain };
    },

    /** @param ends where each direction continues */
    answer<Link>(
      { question, paging, isPlain }: LinksPage<Place>,
      value: { from: Link[]; to: Link[] },
      ends: Places<Place>,
    ): Answered<Link> {
      const ended = ends.from === null && ends.to === null;
      if (isPlain && ended) return { value };
      const next = ended ? undefined : writeCursor(scopeOf(question.id), ends);
      return { value, meta: pageMeta(value.from.length + value.to.length, paging, next) };
    },
  };
}
