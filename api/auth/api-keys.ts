import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../../config.ts";
import type { Pool } from "../../db/core/pool.ts";
import {
  holdersOfKeys,
  type KeyHolder,
  type KnownKey,
  keyDigest,
  keyScopes,
  noteKeyUse,
} from "../../db/service/api-keys.ts";
import type { Log } from "../http/request-log.ts";
import { gather } from "../operation/gather.ts";

/**
 * What a key was when it was seen last, to be looked at again beside what the caller asks for: by one question
 * to the database instead of two. Nothing is answered before it `holds`.
 */
export type Claim = {
  key: KnownKey;
  holder: KeyHolder;
  readonly holds: boolean;
  /** Says whose the key is now, if anybody's. */
  settle(found: KeyHolder | undefined): void;
};

export type KeyRing = {
  /**
   * Who holds a key; undefined where it is unknown or revoked. `mayBeGuess` is called before a key is looked for
   * that was not valid when it was seen last, and may throw.
   */
  find(key: string, mayBeGuess: () => void): Promise<KeyHolder | undefined>;
  /** Who held a key when it was seen last; undefined where it was not seen, or not valid. */
  recall(key: string): Claim | undefined;
};

const USE_NOTED_EVERY = 60_000;

/** Accepts the keys of the configuration, which may do everything, and those of the database. */
export function createKeyRing(pool: Pool, settings: readonly ApiKeySetting[], log: Log): KeyRing {
  const configured = settings.map(({ tenant, key }) => configuredKey(tenant, keyDigest(key)));
  const holderOf = gather((digests: readonly Buffer[]) => holdersOfKeys(pool, digests));
  const noteUse = useNotes(pool, log);
  /** By digest in hex, those that were valid when they were seen last. Those of the configuration stay so. */
  const seen = new Map<string, { holder: KeyHolder; isConfigured: boolean }>();
  return {
    async find(key, mayBeGuess) {
      const digest = keyDigest(key);
      const name = digest.toString("hex");
      if (!seen.has(name)) mayBeGuess();
      let holder = configuredHolder(configured, digest);
      const isConfigured = holder !== undefined;
      if (holder === undefined) {
        holder = await holderOf(digest);
        if (holder !== undefined) noteUse(holder.id);
      }
      if (holder === undefined) seen.delete(name);
      else seen.set(name, { holder, isConfigured });
      return holder;
    },
    recall(key) {
      const digest = keyDigest(key).toString("hex");
      const known = seen.get(digest);
      if (known === undefined) return undefined;
      const { holder, isConfigured } = known;
      const claim = {
        key: { id: holder.id, digest },
        holder,
        holds: isConfigured,
        settle(found: KeyHolder | undefined) {
          claim.holds = found !== undefined && isSame(found, holder);
          if (claim.holds) noteUse(holder.id);
        },
      };
      return claim;
    },
  };
}

function isSame(found: KeyHolder, known: KeyHolder): boolean {
  return (
    found.id === known.id && found.tenant === known.tenant && found.scopes.join() === known.scopes.join()
  );
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
