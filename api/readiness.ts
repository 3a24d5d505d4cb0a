import { type Cursor, readCursor } from "../db/cursor.ts";
import { isDatabaseUnavailable, isUndefinedTable } from "../db/pool.ts";
import type { Dependencies } from "./dependencies.ts";
import { registryMismatch } from "./registry.ts";

/** Blocks that the index may be behind and still count as caught up. */
const ALLOWED_LAG = 5;

export type Readiness = { ready: true; cursor: Cursor } | { ready: false; problem: string };

/** Whether answers are up to date: the database answers, and the index follows the chain. */
export async function readiness(services: Dependencies): Promise<Readiness> {
  try {
    const cursor = await readCursor(services.pool);
    if (cursor === undefined) {
      return { ready: false, problem: "The index has not begun: no indexer has ever run on this database." };
    }
    const problem = problemOf(cursor, services, Date.now());
    return problem === undefined ? { ready: true, cursor } : { ready: false, problem };
  } catch (error) {
    if (isUndefinedTable(error)) {
      return { ready: false, problem: "The database has no tables yet: run `npm run migrate`." };
    }
    if (!isDatabaseUnavailable(error)) throw error;
    return { ready: false, problem: "The database does not answer." };
  }
}

function problemOf(
  cursor: Cursor,
  { registryAddress, pollInterval }: Dependencies,
  now: number,
): string | undefined {
  const mismatch = registryMismatch(cursor, registryAddress);
  if (mismatch !== undefined) return mismatch;
  if (cursor.haltedReason !== undefined) return `The indexer has stopped: ${cursor.haltedReason}`;
  const silence = now - cursor.headSeenAt.getTime();
  if (silence > Math.max(30_000, 5 * pollInterval)) {
    return `The indexer has not seen the chain's head for ${Math.round(silence / 1000)} s.`;
  }
  const lag = cursor.headNumber - cursor.blockNumber;
  if (lag < -ALLOWED_LAG) return `The node is ${-lag} blocks behind the index.`;
  return lag > ALLOWED_LAG ? `The index is ${lag} blocks behind the chain.` : undefined;
}
