import { z } from "zod";
import type { Bounds, ListRow, Place } from "../../db/core/keyset.ts";
import type { Transaction } from "../../db/core/pool.ts";
import { type AssetFilter, assetsListed, blocksBetween, creationsListed } from "../../db/reads/asset-list.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { AssetState } from "../../domain/request/state.ts";
import { placeTime, readCursor, writeCursor } from "../operation/page-cursor.ts";
import type { Paging } from "../operation/paging.ts";
import { invalidRequest } from "../operation/parse.ts";
import type { IndexPoint } from "./index-point.ts";

/**
 * The list of assets: first the tenant's requests that were pending when the first page was read, then the assets of the
 * chain up to then, each newest first. So an asset that is mined between two pages keeps its position, and new ones come
 * before the first page.
 */

export type AssetQuery = AssetFilter & {
  state: AssetState | undefined;
  /** Creation time: from the first, inclusive, to the second, exclusive. */
  createdFrom: Date | undefined;
  createdTo: Date | undefined;
};

/** Position after which the list continues, in the requests or on the chain; the last number is the block of the first page. */
const start = z.union([
  z.tuple([z.literal("requests"), placeTime, z.uuid(), z.int().min(-1)]),
  z.tuple([z.literal("chain"), z.int().min(0), z.int().min(0)]),
]);
type Start = z.output<typeof start>;

export type Listed = {
  /** An entry, and the cursor after it. */
  entries: (({ request: string } | { asset: AssetId }) & { cursor: () => string })[];
  /** Cursor after the last entry. */
  next: string | undefined;
};

const lastUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const firstUuid = "00000000-0000-0000-0000-000000000000";

/** @throws ApiError INVALID_REQUEST at a cursor of another list, or an old one */
export async function listAssets(
  tx: Transaction,
  tenant: string,
  query: AssetQuery,
  paging: Paging,
  index: IndexPoint,
): Promise<Listed> {
  const scope = ["assets", tenant, query];
  const begin: Start =
    paging.cursor === undefined
      ? ["requests", "", lastUuid, index.blockNumber]
      : readCursor(scope, start, paging.cursor);
  const wanted = paging.skip + paging.size;
  const { rows, next } = await readOn(tx, tenant, query, begin, wanted, index);
  const entries = rows.slice(paging.skip).map(({ kind, id, place }) => ({
    ...(kind === "requests" ? { request: id } : { asset: `0x${id}` as const }),
    cursor: () => writeCursor(scope, place),
  }));
  return { entries, next: next === undefined ? undefined : writeCursor(scope, next) };
}

type Row = { kind: Start[0]; id: string; place: Start };

async function readOn(
  tx: Transaction,
  tenant: string,
  query: AssetQuery,
  begin: Start,
  wanted: number,
  index: IndexPoint,
): Promise<{ rows: Row[]; next: Start | undefined }> {
  const rows: Row[] = [];
  if (begin[0] === "requests" && mayBePending(query)) {
    const [, at, id, upTo] = begin;
    const bounds = requestBounds(query, at === "" ? ["infinity", lastUuid] : [at, id]);
    const filter = { tenant, state: query.state, upTo, head: index.blockNumber };
    const part = await creationsListed(tx, query, filter, bounds, wanted + 1);
    if (part === undefined) throw tooOld();
    const on = (place: Place): Start => ["requests", String(place[0]), String(place[1]), upTo];
    for (const { id, place } of part.rows.slice(0, wanted)) {
      rows.push({ kind: "requests", id: String(id), place: on(place) });
    }
    const last = part.rows[wanted - 1];
    if (part.rows.length > wanted && last !== undefined) return { rows, next: on(last.place) };
    if (part.stopped !== undefined) return { rows, next: on(part.stopped) };
  }
  if (!mayBeOnChain(query)) return { rows, next: undefined };

  const below: Place = begin[0] === "chain" ? [begin[1], begin[2]] : [begin[3] + 1, 0];
  const room = wanted - rows.length;
  const part = await assetsListed(tx, query, await chainBounds(tx, query, below, index), room + 1);
  const on = (place: Place): Start => ["chain", Number(place[0]), Number(place[1])];
  for (const row of part.rows.slice(0, room)) {
    rows.push({ kind: "chain", id: hexOf(row), place: on(row.place) });
  }
  if (part.rows.length > room) return { rows, next: on(part.rows[room - 1]?.place ?? below) };
  return { rows, next: part.stopped && on(part.stopped) };
}

const hexOf = ({ id }: ListRow): string => (id as unknown as Buffer).toString("hex");

const onChain: readonly (AssetState | undefined)[] = ["Committed", "Confirmed"];

/** Only assets on the chain have links. */
const mayBePending = ({ state, linkedTo, linkedFrom }: AssetQuery): boolean =>
  !onChain.includes(state) && linkedTo === undefined && linkedFrom === undefined;
const mayBeOnChain = ({ state }: AssetQuery): boolean => state === undefined || onChain.includes(state);

function requestBounds({ createdFrom, createdTo }: AssetQuery, place: Place): Bounds {
  const end = createdTo?.toISOString();
  const isEarlier = end !== undefined && (place[0] === "infinity" || end <= String(place[0]));
  return {
    below: isEarlier ? [end, firstUuid] : place,
    from: createdFrom?.toISOString() ?? "-infinity",
  };
}

async function chainBounds(
  tx: Transaction,
  { state, createdFrom, createdTo }: AssetQuery,
  place: Place,
  { finalNumber }: IndexPoint,
): Promise<Bounds> {
  const times = await blocksBetween(tx, secondsFrom(createdFrom), secondsFrom(createdTo));
  const before = state === "Confirmed" ? Math.min(times.before, finalNumber + 1) : times.before;
  return {
    below: before <= Number(place[0]) ? [before, 0] : place,
    from: state === "Committed" ? Math.max(times.from, finalNumber + 1) : times.from,
  };
}

/** Rounds up to whole seconds, as blocks have. */
const secondsFrom = (time: Date | undefined): number | undefined =>
  time === undefined ? undefined : Math.ceil(time.getTime() / 1000);

const tooOld = () =>
  invalidRequest([{ field: "cursor", message: "is too old: begin again with the first page" }]);
