import type { Pool } from "../../../db/core/pool.ts";
import { addUses, type SharedUses, type Uses } from "../../../db/service/rate-windows.ts";
import { batched } from "../../operation/batch.ts";
import type { Log } from "../request-log.ts";

/** Shares uses with the other processes. @returns undefined where the database is unreachable */
export type Share = (uses: Uses) => Promise<SharedUses | undefined>;

/** Pause in milliseconds after a failure of the database. */
const PAUSE = 5_000;

/** Shares through the database. While it is down, each process counts for itself. */
export function createShare(pool: Pool, log: Log): Share {
  const add = batched((all: readonly Uses[]) => addUses(pool, all));
  let pausedUntil = 0;

  function failed(error: unknown): undefined {
    if (performance.now() >= pausedUntil) {
      log.warn({ err: { message: String(error) } }, "rate limits not shared: each process counts for itself");
    }
    pausedUntil = performance.now() + PAUSE;
    return undefined;
  }

  return async (uses) => {
    if (performance.now() < pausedUntil) return undefined;
    return await add(uses).catch(failed);
  };
}
