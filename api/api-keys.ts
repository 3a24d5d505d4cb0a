import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../config.ts";
import { holdersOfKeys, type KeyHolder, keyDigest, keyScopes, noteKeyUse } from "../db/keys.ts";
import type { Pool } from "../db/pool.ts";
import { gather } from "./gather.ts";
import type { Log } from "./request-log.ts";

/**
 * Who holds a key; undefined where it is unknown or revoked. `mayBeGuess` is called before a key is looked for
 * that was not valid when it was seen last, and may throw.
 */
export type KeyRing = (key: string, mayBeGuess: () => void) => Promise<KeyHolder | undefined>;

const USE_NOTED_EVERY = 60_000;

/** Accepts the keys of the configuration, which may do everything, and those of the database. */
export function createKeyRing(pool: Pool, settings: readonly ApiKeySetting[], log: Log): KeyRing {
  const configured = settings.map(({ tenant, key }) => configuredKey(tenant, keyDigest(key)));
  const holderOf = gather((digests: readonly Buffer[]) => holdersOfKeys(pool, digests));
  const noteUse = useNotes(pool, log);
  const valid = new Set<string>();
  return async (key, mayBeGuess) => {
    const digest = keyDigest(key);
    const name = digest.toString("base64");
    if (!valid.has(name)) mayBeGuess();
    let holder: KeyHolder | undefined;
    // Digests have one length and every entry is compared, so the time tells nothing.
    for (const entry of configured) if (timingSafeEqual(entry.digest, digest)) holder = entry.holder;
    if (holder === undefined) {
      holder = await holderOf(digest);
      if (holder !== undefined) noteUse(holder.id);
    }
    if (holder === undefined) valid.delete(name);
    else valid.add(name);
    return holder;
  };
}

/** A key of the configuration has no id of its own: the beginning of its digest names it. */
function configuredKey(tenant: string, digest: Buffer): { digest: Buffer; holder: KeyHolder } {
  const id = `configured ${digest.toString("hex").slice(0, 32)}`;
  return { digest, holder: { id, tenant, scopes: [...keyScopes] } };
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
