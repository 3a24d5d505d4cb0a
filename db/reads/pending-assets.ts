import type { AssetId } from "../../domain/asset/asset.ts";
import type { Pool } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import { type OutlineRow, parseOutline } from "../service/requests/facts.ts";
import { creationOutlines } from "../service/requests/find.ts";
import {
  type HistoryEntry,
  type HistoryJson,
  historyJson,
  parseHistory,
} from "../service/requests/history.ts";
import type { RequestOutline } from "../service/requests/request.ts";

/** The request for an asset, with what the answer about its state needs, of one moment of the database. */
export type PendingReading = {
  request: RequestOutline;
  noted: HistoryEntry[];
  /** Undefined before the indexer ran for the first time. */
  index: { blockNumber: number; finalNumber: number; confirmations: number | "finalized" } | undefined;
};

type PendingRow = OutlineRow & {
  history: HistoryJson[] | null;
  cursor: { confirmations: number | null } | null;
};

const pending = statement(`
  select facts.*, ${historyJson("facts.id")} as history,
    (select json_build_object('confirmations', confirmations) from chain.cursor) as cursor
  from (${creationOutlines}) facts`);

/** Requests that created, or are to create, these assets; undefined for each that nobody asked for here. */
export async function readPending(
  pool: Pool,
  ids: readonly AssetId[],
): Promise<(PendingReading | undefined)[]> {
  const rows = await ask<PendingRow>(pool, pending, [JSON.stringify([...new Set(ids)])]);
  const readings = rows.map((row): [AssetId, PendingReading] => {
    const request = parseOutline(row);
    const { indexed_block: blockNumber, final_block: finalNumber, cursor } = row;
    const confirmations = cursor?.confirmations ?? ("finalized" as const);
    const index = cursor === null ? undefined : { blockNumber, finalNumber, confirmations };
    return [request.assetId, { request, noted: parseHistory(row.history), index }];
  });
  const byId = new Map(readings);
  return ids.map((id) => byId.get(id));
}
