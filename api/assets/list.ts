import { z } from "zod";
import type { Place } from "../../db/core/keyset.ts";
import type { AssetFilter } from "../../db/reads/asset-list/filter.ts";
import { type ListQuestion, rowsToRead } from "../../db/reads/asset-list/question.ts";
import { readAssetList } from "../../db/reads/asset-list/read.ts";
import type { AssetReading } from "../../db/reads/assets.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { AssetState } from "../../domain/request/state.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { placeTime, readCursor, writeCursor } from "../operation/page-cursor.ts";
import type { Paging } from "../operation/paging.ts";
import { invalidRequest } from "../operation/parse.ts";

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
  entries: (({ request: string } | { asset: AssetId; read: AssetReading | undefined }) & {
    cursor: () => string;
  })[];
  /** Cursor after the last entry. */
  next: string | undefined;
};

/** The name of everybody in the place of a tenant's, which no tenant can have. */
export const everybody = "(everybody)";

/**
 * @param tenant whose requests are listed too; `everybody`: none are
 * @throws ApiError INVALID_REQUEST at a cursor of another list, or an old one
 */
export async function listAssets(
  services: Pick<Dependencies, "pool" | "reads">,
  tenant: string,
  query: AssetQuery,
  paging: Paging,
): Promise<Listed> {
  const scope = ["assets", tenant, query];
  const begin = paging.cursor === undefined ? undefined : readCursor(scope, start, paging.cursor);
  const wanted = paging.skip + paging.size;
  const { rows, next } = await readOn(services, tenant, query, begin, { skip: paging.skip, wanted });
  const entries = rows.slice(paging.skip).map(({ entry, place }) => ({
    ...entry,
    cursor: () => writeCursor(scope, place),
  }));
  return { entries, next: next === undefined ? undefined : writeCursor(scope, next) };
}

type Row = { entry: { request: string } | { asset: AssetId; read: AssetReading | undefined }; place: Start };

async function readOn(
  { pool, reads }: Pick<Dependencies, "pool" | "reads">,
  tenant: string,
  query: AssetQuery,
  begin: Start | undefined,
  { skip, wanted }: { skip: number; wanted: number },
): Promise<{ rows: Row[]; next: Start | undefined }> {
  const { state, createdFrom, createdTo } = query;
  const behind = begin?.[0] === "requests" ? begin : undefined;
  const question: ListQuestion = {
    ...{ tenant, filter: query, state, createdFrom, createdTo },
    requests:
      tenant !== everybody && begin?.[0] !== "chain" && mayBePending(query)
        ? { below: behind && [behind[1], behind[2]], upTo: behind?.[3] }
        : undefined,
    chain: mayBeOnChain(query) ? { below: chainPlace(begin) } : undefined,
    ...{ limit: rowsToRead(wanted), skip, wanted },
  };
  const answer = await readAssetList(pool, question, (list) => reads.list(tenant, list));
  if (answer === undefined) throw tooOld();
  const { requests, chain } = answer;
  const upTo = behind?.[3] ?? answer.blockNumber;
  const ofRequest = (place: Place<string>): Start => ["requests", place[0], place[1], upTo];
  const ofChain = (place: Place<string>): Start => ["chain", Number(place[0]), Number(place[1])];

  const rows: Row[] = requests.rows
    .slice(0, wanted)
    .map(({ id, place }) => ({ entry: { request: id }, place: ofRequest(place) }));
  if (requests.rows.length > wanted) return { rows, next: rows.at(-1)?.place };
  if (requests.stopped !== undefined) return { rows, next: ofRequest(requests.stopped) };
  const room = wanted - rows.length;
  for (const { id, place, read } of chain.rows.slice(0, room)) {
    rows.push({ entry: { asset: `0x${id}`, read }, place: ofChain(place) });
  }
  // Where the requests fill the page, the assets begin behind it.
  if (chain.rows.length > room) {
    const last = chain.rows[room - 1];
    return { rows, next: last === undefined ? ["chain", upTo + 1, 0] : ofChain(last.place) };
  }
  return { rows, next: chain.stopped && ofChain(chain.stopped) };
}

/** Behind which asset of the chain the list goes on: the newest, or those that the first page did not know. */
function chainPlace(begin: Start | undefined): Place<number> {
  if (begin === undefined) return [Number.MAX_SAFE_INTEGER, 0];
  return begin[0] === "chain" ? [begin[1], begin[2]] : [begin[3] + 1, 0];
}

const onChain: readonly (AssetState | undefined)[] = ["Committed", "Confirmed"];

/** Only assets on the chain have links. */
const mayBePending = ({ state, linkedTo, linkedFrom }: AssetQuery): boolean =>
  !onChain.includes(state) && linkedTo === undefined && linkedFrom === undefined;
const mayBeOnChain = ({ state }: AssetQuery): boolean => state === undefined || onChain.includes(state);

const tooOld = () =>
  invalidRequest([{ field: "cursor", message: "is too old: begin again with the first page" }]);
