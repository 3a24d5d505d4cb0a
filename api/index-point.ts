import { readCursor } from "../db/cursor.ts";
import type { Dependencies } from "./dependencies.ts";
import type { IndexPoint } from "./status-view.ts";

/** Where the index stands; before the indexer ran for the first time, nowhere. */
export async function indexPoint({ pool, confirmations }: Dependencies): Promise<IndexPoint> {
  return (await readCursor(pool)) ?? { blockNumber: -1, finalNumber: -1, confirmations };
}
