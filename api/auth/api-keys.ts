import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../../config.ts";
import type { Pool } from "../../db/core/pool.ts";
import {
  holdersOfKeys,
  type KeyHolder,
  keyDigest,
  keyScopes,
  noteKeyUse,
} from "../../db/service/api-keys.ts";
import type { Log } from "../http/request-log.ts";
import { batched } from "../operation/batch.ts";

export type KeyRing = {
  /**
   * Who holds a key; undefined where it is unknown or revoked. `mayBeGuess` is called before a key is looked for
   * that was not valid when it was seen last, and may throw.
   */
  find(key: string, mayBeGuess: () => void): Promise<KeyHolder | undefined>;
  /** Has every key looked up again, because one has changed. */
  expire(): void;
};

/** Milliseconds for which a valid key is not looked up again, and most keys that are remembered. */
const cached = { milliseconds: 1_000, keys: 10_000 };

const USE_NOTED_EVERY = 60_000;

/** Accepts the keys of the configuration, which may do everything, and those of the database. */
export function createKeyRing(
  pool: Pool,
  settings: readonly ApiKeySetting[],
  log: Log,
  maxAge = cached.milliseconds,
): KeyRing {
  const configured = settings.map(({ tenant, key }) => configuredKey(tenant, keyDigest(key)));
  const holderOf = batched((digests: readonly Buffer[]) => holdersOfKeys(pool, digests));
  const noteUse = useNotes(pool, log);
  /** By digest, keys that were valid when they were seen last, and until when they need no look. */
  const valid = new Map<string, { holder: KeyHolder; until: number }>();
  let changes = 0;

  async function look(digest: Buffer): Promise<KeyHolder | undefined> {
    const own = configuredHolder(configured, digest);
    if (own !== undefined) return own;
    const holder = await holderOf(digest);
    if (holder !== undefined) noteUse(holder.id);
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

/** A key of the configuration has no id of its own: the beginning of its digest names it. */
function configuredKey(tenant: string, digest: Buffer): ConfiguredKey {
  const id = `configured ${digest.toString("hex").slice(0, 32)}`;
  return { digest, holder: { id, tenant, scopes: [...keyScopes] } };
}

/** Digests have one length and every entry is compared, so the time tells nothing. */
function configuredHolder(configured: readonly ConfiguredKey[], digest: Buffer): KeyHolder | undefined {
  let holder: KeyHolder | undefined;
  for (const entry of configured) if (timingSafeEqual(entry.digest, digest)) holder = entry.holder;
  return holder;
}

/** Notes the use of keys in the background: no request waits for it, and none fails by it. */
function useNotes(pool: Pool, log: Log): (id: string) => void {
  const noted = new Map<string, number>();
  return (id) => {
    const now = performance.now();
    if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_EVERY) return;
    noted.set(id, now);
    noteKeyUse(pool, id).catch((error: unknown) => {
      log.warn({ err: { message: String(error) } }, "last use of an API key not stored");
    });
  };
}
