import { timingSafeEqual } from "node:crypto";
import type { ApiKeySetting } from "../config.ts";
import { keyDigest, tenantsOfKeys } from "../db/keys.ts";
import type { Pool } from "../db/pool.ts";
import { gather } from "./gather.ts";

/** @returns the tenant that holds the key; undefined where it is unknown or revoked */
export type KeyRing = (key: string) => Promise<string | undefined>;

/** Accepts the keys of the configuration and those of the database. */
export function createKeyRing(pool: Pool, settings: readonly ApiKeySetting[]): KeyRing {
  const configured = settings.map(({ tenant, key }) => ({ tenant, digest: keyDigest(key) }));
  const tenantOf = gather((digests: readonly Buffer[]) => tenantsOfKeys(pool, digests));
  return async (key) => {
    const digest = keyDigest(key);
    let tenant: string | undefined;
    // Digests have one length and every entry is compared, so the time tells nothing.
    for (const entry of configured) if (timingSafeEqual(entry.digest, digest)) tenant = entry.tenant;
    return tenant ?? (await tenantOf(digest));
  };
}
