import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isDirect, type Pool } from "./pool.ts";

/** Milliseconds before a lost connection is made again. */
const RETRY = 1_000;

/** Functions to call at each notification, by the name of its channel. */
export type Handlers = Readonly<Record<string, () => void>>;

/**
 * Listens to channels of the database until the signal aborts: `api_keys`, whenever a key is changed, rotated or revoked,
 * and `events`, whenever the log of events has grown. Calls every handler when notifications may have been missed, too.
 * Holds one connection of the pool. Behind a pooler in transaction mode no notification arrives: there it ends at once.
 */
export async function followNotifications(
  pool: Pool,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<void> {
  const callAll = () => {
    for (const handle of Object.values(handlers)) handle();
  };
  while (!signal.aborted) {
    try {
      if (!(await isDirect(pool))) return;
      await listen(pool, handlers, callAll, signal);
    } catch {
      // The database is down or the connection is lost; the pool reports it.
    }
    callAll();
    await sleep(RETRY, undefined, { signal }).catch(() => undefined);
  }
}

async function listen(
  pool: Pool,
  handlers: Handlers,
  callAll: () => void,
  signal: AbortSignal,
): Promise<void> {
  const client = await pool.connect();
  try {
    client.on("notification", ({ channel }) => handlers[channel]?.());
    for (const channel of Object.keys(handlers)) await client.query(`listen ${channel}`);
    callAll();
    await once(client, "end", { signal });
  } finally {
    client.release(true);
  }
}
