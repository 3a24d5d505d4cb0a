import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../config.ts";
import { holdersOfKeys, type KeyHolder, keyDigest, keyScopes, noteKeyUse } from "../db/keys.ts";
import type { Pool } from "../db/pool.ts";
import { gather } from "./gather.ts";
import type { Log } from "./request-log.ts";

/** @returns who holds the key; undefined where it is unknown or revoked */
export type KeyRing = (key: string) => Promise<Pick<KeyHolder, "tenant" | "scopes"> | undefined>;

const USE_NOTED_EVERY = 60_000;

/** Accepts the keys of the configuration, which may do everything, and those of the database. */
export function createKeyRing(pool: Pool, settings: readonly ApiKeySetting[], log: Log): KeyRing {
  const configured = settings.map(({ tenant, key }) => ({ tenant, digest: keyDigest(key) }));
  const holderOf = gather((digests: readonly Buffer[]) => holdersOfKeys(pool, digests));
  const noteUse = useNotes(pool, log);
  return async (key) => {
    const digest = keyDigest(key);
    let tenant: string | undefined;
    // Digests have one length and every entry is compared, so the time tells nothing.
    for (const entry of configured) if (timingSafeEqual(entry.digest, digest)) tenant = entry.tenant;
    if (tenant !== undefined) return { tenant, scopes: [...keyScopes] };
    const holder = await holderOf(digest);
    if (holder !== undefined) noteUse(holder.id);
    return holder;
  };
}

/** Notes the use of keys in the background: no request waits for it, and none fails by it. */
function useNotes(pool: Pool, log: Log): (id: string) => void {
  const noted = new Map<string, number>();
  return (id) => {
    const now = performance.now();
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_EVERY) return;
    noted.set(id, now);
    noteKeyUse(pool, id).catch((error: unknown) => {
      log.warn({ problem: String(error) }, "the use of an API key could not be noted");
    });
  };
}
