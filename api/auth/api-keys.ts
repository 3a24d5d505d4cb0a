import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../../config.ts";
import type { Pool } from "../../db/core/pool.ts";
import {
  holdersOfKeys,
  type KeyHolder,
  keyDigest,
  keyScopes,
  recordKeyUse,
} from "../../db/service/api-keys.ts";
import type { Log } from "../http/request-log.ts";
import { batched } from "../operation/batch.ts";

export type KeyRing = {
  /**
   * The holder of a key; undefined where it is unknown or revoked. `mayBeGuess` runs before the lookup of a key that was
   * not valid when seen last, and may throw.
   */
  find(key: string, mayBeGuess: () => void): Promise<KeyHolder | undefined>;
  /** Clears the cache, because a key has changed. */
  expire(): void;
};

/** Milliseconds for which a valid key is cached, and most cached keys. */
const cached = { milliseconds: 1_000, keys: 10_000 };

const USE_NOTED_EVERY = 60_000;

/** Looks up keys of the configuration, which have every scope, and of the database. */
export function createKeyRing(
  pool: Pool,
  settings: readonly ApiKeySetting[],
  log: Log,
  maxAge = cached.milliseconds,
): KeyRing {
  const configured = settings.map(({ tenant, key }) => configuredKey(tenant, keyDigest(key)));
  const holderOf = batched((digests: readonly Buffer[]) => holdersOfKeys(pool, digests));
  const recordUse = useNotes(pool, log);
  /** Valid keys by digest, with the end of their cache time. */
  const valid = new Map<string, { holder: KeyHolder; until: number }>();
  let changes = 0;

  async function look(digest: Buffer): Promise<KeyHolder | undefined> {
    const own = configuredHolder(configured, digest);
    if (own !== undefined) return own;
    const holder = await holderOf(digest);
    if (holder !== undefined) recordUse(holder.id);
    return holder;
  }

  function remember(name: string, holder: KeyHolder | undefined, isCurrent: boolean): void {
    valid.delete(name);
    if (holder === undefined) return;
    const [oldest] = valid.size < cached.keys ? [] : valid.keys();
    if (oldest !== undefined) valid.delete(oldest);
    valid.set(name, { holder, until: isCurrent ? performance.now() + maxAge : 0 });
  }

  return {
    async find(key, mayBeGuess) {
      const digest = keyDigest(key);
      const name = digest.toString("latin1");
      const seen = valid.get(name);
      if (seen !== undefined && seen.until > performance.now()) return seen.holder;
      if (seen === undefined) mayBeGuess();
      const before = changes;
      const holder = await look(digest);
      remember(name, holder, changes === before);
      return holder;
    },
    expire() {
      changes += 1;
      for (const seen of valid.values()) seen.until = 0;
    },
  };
}

type ConfiguredKey = { digest: Buffer; holder: KeyHolder };

/** The id of a configured key: the beginning of its digest. */
function configuredKey(tenant: string, digest: Buffer): ConfiguredKey {
  const id = `configured ${digest.toString("hex").slice(0, 32)}`;
  return { digest, holder: { id, tenant, scopes: [...keyScopes] } };
}

/** Compares every entry in constant time. */
function configuredHolder(configured: readonly ConfiguredKey[], digest: Buffer): KeyHolder | undefined {
  let holder: KeyHolder | undefined;
  for (const entry of configured) if (timingSafeEqual(entry.digest, digest)) holder = entry.holder;
  return holder;
}

/** Stores the last use of keys in the background; no request waits for it or fails by it. */
function useNotes(pool: Pool, log: Log): (id: string) => void {
  const noted = new Map<string, number>();
  return (id) => {
    const now = performance.now();
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_EVERY) return;
    noted.set(id, now);
    recordKeyUse(pool, id).catch((error: unknown) => {
      log.warn({ err: { message: String(error) } }, "last use of an API key not stored");
    });
  };
}
