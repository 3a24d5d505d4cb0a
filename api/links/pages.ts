import { z } from "zod";
import type { LinkPlace, LinkQuestion, LinkReading } from "../../db/reads/links.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Envelope } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { readCursor, writeCursor } from "../operation/page-cursor.ts";
import { type Asked, type Paging, pageMeta, pagingOf } from "../operation/paging.ts";

const linkPlace = z.tuple([z.int().min(-1), z.int().min(-1)]);

/** The link after which each direction continues; null where it has ended. */
const place = z.strictObject({ from: linkPlace.nullable(), to: linkPlace.nullable() });

const beginning: LinkPlace = [-1, -1];

/** The answer for an asset without links. */
export const noLinks: LinkReading = { from: { ids: [], end: null }, to: { ids: [], end: null } };

/** A requested page of an asset's links. */
export type LinkPage = { question: LinkQuestion; paging: Paging; isPlain: boolean };

/**
 * The requested page of each direction; without paging, all links up to the published limit.
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

/** The current links of an asset, in the order of linking. */
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
