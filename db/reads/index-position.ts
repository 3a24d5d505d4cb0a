import type { IndexPosition } from "../../domain/index/index-position.ts";
import { type IndexPositionRow, parseIndexPosition } from "../chain/index-position.ts";
import type { Database } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";

/** @returns undefined before the indexer ran for the first time */
export async function readIndexPosition(db: Database): Promise<IndexPosition | undefined> {
  const [row] = await ask<IndexPositionRow>(db, indexPosition, []);
  return row && parseIndexPosition(row);
}

const indexPosition = statement(`
  select chain_id, registry, start_block, block_number, block_hash, final_number, confirmations, head_number,
    head_seen_at, halted_reason
  from chain.cursor`);
