import type { Database } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";

/** Newest indexed and newest final block. */
export type IndexPoint = Pick<IndexPosition, "blockNumber" | "finalNumber" | "confirmations">;

/** The index position as an `IndexPoint`, also before the first run of the indexer. */
export async function indexPoint(
  db: Database,
  confirmations: IndexPosition["confirmations"],
): Promise<IndexPoint> {
  return (await readIndexPosition(db)) ?? { blockNumber: -1, finalNumber: -1, confirmations };
}
