import { type Cursor, readCursor } from "../../db/chain/index-position.ts";
import type { Database } from "../../db/core/pool.ts";
import type { IndexPoint } from "./status-view.ts";

/** Where the index stands; before the indexer ran for the first time, nowhere. */
export async function indexPoint(db: Database, confirmations: Cursor["confirmations"]): Promise<IndexPoint> {
  return (await readCursor(db)) ?? { blockNumber: -1, finalNumber: -1, confirmations };
}
