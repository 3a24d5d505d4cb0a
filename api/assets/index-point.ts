import type { Database } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";

/** What the index knows beside an asset: where it stands, and what it calls final. */
export type IndexPoint = Pick<IndexPosition, "blockNumber" | "finalNumber" | "confirmations">;

/** Where the index stands; before the indexer ran for the first time, nowhere. */
export async function indexPoint(
  db: Database,
  confirmations: IndexPosition["confirmations"],
): Promise<IndexPoint> {
  return (await readIndexPosition(db)) ?? { blockNumber: -1, finalNumber: -1, confirmations };
}
