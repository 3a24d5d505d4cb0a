import { z } from "zod";
import type { Transaction } from "../../db/core/pool.ts";
import { type LinkPlace, linksPart } from "../../db/reads/links.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Envelope } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { readCursor, writeCursor } from "../operation/page-cursor.ts";
import { type Asked, pageMeta, pagingOf } from "../operation/paging.ts";

const linkPlace = z.tuple([z.int().min(-1), z.int().min(-1)]);

/** Behind which link each direction goes on; null where it has ended. */
const place = z.strictObject({ from: linkPlace.nullable(), to: linkPlace.nullable() });

const beginning: LinkPlace = [-1, -1];

/** Whether no page is asked for, but all. */
export function isPlain(asked: Asked): boolean {
  return Object.values(asked).every((parameter) => parameter === undefined);
}

/**
 * The links of an asset that stand, in the order of linking, a page of each direction. Where no page is asked
 * for, all of them up to the published limit.
 */
export async function linkPage(
  tx: Transaction,
  id: AssetId,
  asked: Asked,
): Promise<{ value: { from: AssetId[]; to: AssetId[] }; meta?: NonNullable<Envelope["meta"]> }> {
  const plain = isPlain(asked);
  const paging = pagingOf(asked);
  const size = plain ? limits.links : paging.size;
  const scope = ["links", id];
  const start =
    paging.cursor === undefined
      ? { from: beginning, to: beginning }
      : readCursor(scope, place, paging.cursor);
  const part = async (direction: "from" | "to") => {
    const after = start[direction];
    if (after === null) return { ids: [], end: null };
    return await linksPart(tx, id, direction, after, { skip: paging.skip, size });
  };
  const from = await part("from");
  const to = await part("to");
  const ended = from.end === null && to.end === null;
  const next = ended ? undefined : writeCursor(scope, { from: from.end, to: to.end });
  const value = { from: from.ids, to: to.ids };
  if (plain && ended) return { value };
  return { value, meta: pageMeta(from.ids.length + to.ids.length, paging, next) };
}
