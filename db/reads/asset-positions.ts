import type { Hash } from "viem";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Position } from "../../domain/index/log-position.ts";
import type { Pool } from "../core/pool.ts";
import { assetsByIds, hex, readByIds, whole } from "./by-ids.ts";

/** Where an asset was created on the chain, and how far the index is. Times are Unix seconds. */
export type AssetPosition = Position & {
  blockHash: Hash;
  createdOn: number;
  /** Newest indexed block. */
  indexedBlock: number;
  /** Newest final block; -1 while there is none. */
  finalBlock: number;
  /**
   * Newest final block that is stored: the newest final one, or where that is over a thousand blocks deep or was never
   * read by itself, the last before it with an event of the registry, since which nothing has changed there.
   */
  proofBlock: { number: number; hash: Hash } | undefined;
};

type PositionJson = [
  transactionHash: string,
  blockNumber: number,
  transactionIndex: number,
  logIndex: number,
  blockHash: string,
  createdOn: number,
  indexedBlock: number,
  finalBlock: number,
  proofBlock: [number: number, hash: string] | null,
];

// That there is one cursor alone the planner learns by the limit.
const positions = assetsByIds(
  `json_build_array(${hex("asset.transaction_hash")}, asset.block_number, asset.transaction_index, asset.log_index,
    ${hex("block.hash")}, block.timestamp, cursor.block_number, cursor.final_number, (
      select json_build_array(number, ${hex("hash")}) from chain.blocks
      where number <= cursor.final_number order by number desc limit 1))`,
  `cross join lateral (select hash, timestamp from chain.blocks where number = asset.block_number limit 1) block
  cross join lateral (select block_number, final_number from chain.cursor limit 1) cursor`,
);

/** Positions of assets, of one moment of the database; undefined of what is no asset of the chain. */
export function readAssetPositions(
  pool: Pool,
  ids: readonly AssetId[],
): Promise<(AssetPosition | undefined)[]> {
  return readByIds(pool, positions, ids, parsePosition);
}

function parsePosition(json: string): AssetPosition {
  const [transactionHash, block, transactionIndex, logIndex, blockHash, createdOn, indexed, final, proof] =
    JSON.parse(json) as PositionJson;
  return {
    blockNumber: whole(block),
    transactionIndex: whole(transactionIndex),
    logIndex: whole(logIndex),
    transactionHash: `0x${transactionHash}`,
    blockHash: `0x${blockHash}`,
    createdOn: whole(createdOn),
    indexedBlock: whole(indexed),
    finalBlock: whole(final),
    proofBlock: proof === null ? undefined : { number: whole(proof[0]), hash: `0x${proof[1]}` },
  };
}
