import { createHash } from "node:crypto";
import type { Database, Pool } from "./pool.ts";
import { ask, statement } from "./statement.ts";

export type ApiKey = {
  id: string;
  tenant: string;
  name: string;
  createdAt: Date;
  revokedAt: Date | undefined;
};

/** Keys are random, so one round of SHA-256 is enough: there is nothing to guess. */
export function keyDigest(key: string): Buffer {
  return createHash("sha256").update(key, "utf8").digest();
}

const tenants = statement(
  `select asked.place, key.tenant
   from json_array_elements_text($1::json) with ordinality as asked (digest, place)
   cross join lateral (
     select tenant from service.api_keys
     where digest = decode(asked.digest, 'hex') and revoked_at is null limit 1) key`,
);

/** @returns the tenant that holds each key; undefined where it is unknown or revoked */
export async function tenantsOfKeys(pool: Pool, digests: readonly Buffer[]): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = digests.map(() => undefined);
  const rows = await ask<{ place: number; tenant: string }>(pool, tenants, [
    JSON.stringify(digests.map((digest) => digest.toString("hex"))),
  ]);
  for (const { place, tenant } of rows) found[place - 1] = tenant;
  return found;
}

export async function insertKey(
  db: Database,
  key: { id: string; tenant: string; name: string; digest: Buffer },
): Promise<void> {
  await db.query("insert into service.api_keys (id, tenant, name, digest) values ($1, $2, $3, $4)", [
    key.id,
    key.tenant,
    key.name,
    key.digest,
  ]);
}

/** All keys, revoked ones too, oldest first. */
export async function listKeys(db: Database): Promise<ApiKey[]> {
  const { rows } = await db.query<{
    id: string;
    tenant: string;
    name: string;
    created_at: Date;
    revoked_at: Date | null;
  }>("select id, tenant, name, created_at, revoked_at from service.api_keys order by created_at, id");
  return rows.map((row) => ({
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
  }));
}

/** @returns false where there is no such key, or it has been revoked before */
export async function revokeKey(db: Database, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "update service.api_keys set revoked_at = now() where id = $1 and revoked_at is null",
    [id],
  );
  return rowCount === 1;
}
