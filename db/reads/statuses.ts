import type { AssetId } from "../../domain/asset/asset.ts";
import type { Pool } from "../core/pool.ts";
import {
  type HistoryEntry,
  type HistoryJson,
  historyJson,
  parseHistory,
} from "../service/requests/history.ts";
import type { RequestRef } from "../service/requests/request.ts";
import {
  assetsByIds,
  type CreationJson,
  creation,
  hex,
  parseRef,
  readByIds,
  timeOf,
  whole,
} from "./by-ids.ts";
import type { ChainAsset } from "./chain-asset.ts";

export type StatusReading = {
  chain: Pick<ChainAsset, "id" | "position" | "createdOn">;
  request: RequestRef | undefined;
  noted: HistoryEntry[];
  index: { blockNumber: number; finalNumber: number; confirmations: number | "finalized" };
};

type StatusJson = [
  transactionHash: string,
  blockNumber: number,
  transactionIndex: number,
  logIndex: number,
  createdOn: number,
  request: [...CreationJson, history: HistoryJson[] | null] | null,
  indexedBlock: number,
  finalBlock: number,
  confirmations: number | null,
];

// An index that holds an asset has a cursor. That there is one alone the planner learns by the limit.
const statuses = assetsByIds(
  `json_build_array(${hex("asset.transaction_hash")}, asset.block_number, asset.transaction_index, asset.log_index,
    ${timeOf("asset.block_number")}, ${creation(`, ${historyJson("request.id")}`)},
    cursor.block_number, cursor.final_number, cursor.confirmations)`,
  `cross join lateral (
    select block_number, final_number, confirmations from chain.cursor limit 1) cursor`,
);

/** How far assets are, and what was noted on their way. */
export function readStatuses(pool: Pool, ids: readonly AssetId[]): Promise<(StatusReading | undefined)[]> {
  return readByIds(pool, statuses, ids, parseStatus);
}

function parseStatus(json: string, id: AssetId): StatusReading {
  const [hash, block, transactionIndex, logIndex, createdOn, request, indexed, final, confirmations] =
    JSON.parse(json) as StatusJson;
  return {
    chain: {
      id,
      position: {
        blockNumber: whole(block),
        transactionIndex: whole(transactionIndex),
        logIndex: whole(logIndex),
        transactionHash: `0x${hash}`,
      },
      createdOn: whole(createdOn),
    },
    request: parseRef(request as CreationJson | null),
    noted: parseHistory(request?.[3] ?? null),
    index: {
      blockNumber: whole(indexed),
      finalNumber: whole(final),
      confirmations: confirmations ?? "finalized",
    },
  };
}
