import { z } from "zod";
import type { HistoryPlace, HistoryQuestion, HistoryReading, PastLink } from "../../db/reads/link-history.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { readCursor, writeCursor } from "../operation/page-cursor.ts";
import { type Asked, type Paging, pageMeta, pagingOf } from "../operation/paging.ts";
import type { Answer } from "../operation/route.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import type { publicLinksAnswer } from "./schema.ts";

const linkPlace = z.tuple([z.literal([0, 1]), z.int().min(-1), z.int().min(-1)]);

/** The link after which each direction continues; null where it has ended. */
const place = z.strictObject({ from: linkPlace.nullable(), to: linkPlace.nullable() });

const beginning: HistoryPlace = [0, -1, -1];

/** A requested page of the links that an asset has or had. */
export type HistoryPage = { question: HistoryQuestion; paging: Paging; isPlain: boolean };

/**
 * The requested page of each direction; without paging, all links up to the published limit.
 * @throws ApiError INVALID_REQUEST
 */
export function historyPage(id: AssetId, asked: Asked): HistoryPage {
  const isPlain = Object.values(asked).every((parameter) => parameter === undefined);
  const paging = pagingOf(asked);
  const { cursor, skip } = paging;
  const start =
    cursor === undefined ? { from: beginning, to: beginning } : readCursor(scopeOf(id), place, cursor);
  return { question: { id, ...start, skip, size: isPlain ? limits.links : paging.size }, paging, isPlain };
}

export function viewLinkHistory(
  { question, paging, isPlain }: HistoryPage,
  { from, to }: HistoryReading,
): Answer<z.input<typeof publicLinksAnswer>> {
  const ended = from.end === null && to.end === null;
  const value = { from: from.links.map(viewLink), to: to.links.map(viewLink) };
  if (isPlain && ended) return { value };
  const next = ended ? undefined : writeCursor(scopeOf(question.id), { from: from.end, to: to.end });
  return { value, meta: pageMeta(value.from.length + value.to.length, paging, next) };
}

const viewLink = ({ id, addedOn, revokedOn, isFinal }: PastLink) => ({
  id,
  addedOn: isoTime(chainTime(addedOn)),
  ...(revokedOn !== undefined && { revokedOn: isoTime(chainTime(revokedOn)) }),
  final: isFinal,
});

const scopeOf = (id: AssetId) => ["public links", id];
