import type { Database } from "../../../db/core/pool.ts";
import {
  type HistoryEntry,
  type HistoryJson,
  historyJson,
  parseHistory,
} from "../../../db/service/requests/history.ts";

/** The newest entries of a request's history, oldest first. */
export async function historyOf(db: Database, requestId: string): Promise<HistoryEntry[]> {
  const { rows } = await db.query<{ list: HistoryJson[] | null }>(`select ${historyJson("$1")} as list`, [
    requestId,
  ]);
  return parseHistory(rows[0]?.list ?? null);
}
