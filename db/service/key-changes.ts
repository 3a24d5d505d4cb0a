import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isDirect, type Pool } from "../core/pool.ts";

/** Milliseconds before a lost connection is made again. */
const RETRY = 1_000;

/**
 * Calls `changed` whenever an API key is changed, rotated or revoked, until the signal aborts; also when changes may
 * have been missed. Holds one connection of the pool. Behind a pooler in transaction mode no notification arrives:
 * there it ends at once.
 */
export async function watchKeyChanges(pool: Pool, changed: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await isDirect(pool))) return;
      await listen(pool, changed, signal);
    } catch {
      // The database is down or the connection is lost; the pool reports it.
    }
    changed();
    await sleep(RETRY, undefined, { signal }).catch(() => undefined);
  }
}

async function listen(pool: Pool, changed: () => void, signal: AbortSignal): Promise<void> {
  const client = await pool.connect();
  try {
    client.on("notification", changed);
    await client.query("listen api_keys");
    changed();
    await once(client, "end", { signal });
  } finally {
    client.release(true);
  }
}
