import { hash } from "node:crypto";
import type { Database, Pool } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";

/** `read`: operations without changes; `write`: those with changes; `webhooks`: all on webhooks, and no others. */
export const keyScopes = ["read", "write", "webhooks"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Scopes of a key that is made without naming any. */
export const usualScopes: readonly KeyScope[] = ["read", "write"];

export type ApiKey = {
  id: string;
  tenant: string;
  name: string;
  scopes: KeyScope[];
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date | undefined;
  /** Until when the previous secret is valid too. */
  previousUntil: Date | undefined;
  revokedAt: Date | undefined;
};

export type KeyHolder = Pick<ApiKey, "id" | "tenant" | "scopes">;

/** SHA-256 of a key. Keys are random, so one round is enough. */
export function keyDigest(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

const holders = statement(
  `select asked.place, key.id, key.tenant, key.scopes
   from json_array_elements_text($1::json) with ordinality as asked (digest, place)
   cross join lateral (
     select id, tenant, scopes from service.api_keys
     where (digest = decode(asked.digest, 'hex')
       or (previous_digest = decode(asked.digest, 'hex') and previous_until > now())) and revoked_at is null
     limit 1) key`,
);

/** @returns the holder of each key; undefined where it is unknown, revoked, or past the overlap of its rotation */
export async function holdersOfKeys(
  pool: Pool,
  digests: readonly Buffer[],
): Promise<(KeyHolder | undefined)[]> {
  const found: (KeyHolder | undefined)[] = digests.map(() => undefined);
  const rows = await ask<KeyHolder & { place: number }>(pool, holders, [
    JSON.stringify(digests.map((digest) => digest.toString("hex"))),
  ]);
  for (const { place, ...holder } of rows) found[place - 1] = holder;
  return found;
}

/** Stores the time of a key's last use, at most once a minute. */
export async function recordKeyUse(db: Database, id: string): Promise<void> {
  await db.query(
    `update service.api_keys set last_used_at = now()
     where id = $1 and (last_used_at is null or last_used_at <= now() - interval '1 minute')`,
    [id],
  );
}

/** Creates a key and its log entry, in one statement. */
export async function insertKey(
  db: Database,
  key: { id: string; tenant: string; name: string; digest: Buffer; scopes?: readonly KeyScope[] },
  actor: string,
): Promise<void> {
  await db.query(
    `with made as (
       insert into service.api_keys (id, tenant, name, digest, scopes) values ($1, $2, $3, $4, $5) returning *
     )
     insert into service.api_key_changes (key_id, change, actor, details)
     select id, 'created', $6, jsonb_build_object('tenant', tenant, 'name', name, 'scopes', scopes) from made`,
    [key.id, key.tenant, key.name, key.digest, key.scopes ?? usualScopes, actor],
  );
}

/**
 * Gives a key another secret. The previous one stays valid for `overlapSeconds`; the one before ends now.
 * @returns the updated key; undefined where it is unknown or revoked
 */
export async function rotateKey(
  db: Database,
  change: { id: string; digest: Buffer; overlapSeconds: number },
  actor: string,
): Promise<ApiKey | undefined> {
  const { rows } = await db.query<KeyRow>(
    `with rotated as (
       update service.api_keys set digest = $2,
         previous_digest = case when $3::int > 0 then digest end,
         previous_until = case when $3::int > 0 then now() + $3::int * interval '1 second' end
       where id = $1 and revoked_at is null returning *
     ), logged as (
       insert into service.api_key_changes (key_id, change, actor, details)
       select id, 'rotated', $4, jsonb_build_object('previousUntil', previous_until) from rotated
     )
     select * from rotated`,
    [change.id, change.digest, change.overlapSeconds, actor],
  );
  return rows[0] && keyOf(rows[0]);
}

/** @returns false where the key is unknown or revoked already */
export async function revokeKey(db: Database, id: string, actor: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `with revoked as (
       update service.api_keys set revoked_at = now() where id = $1 and revoked_at is null returning id
     )
     insert into service.api_key_changes (key_id, change, actor, details) select id, 'revoked', $2, '{}' from revoked`,
    [id, actor],
  );
  return rowCount === 1;
}

/** All keys, revoked ones too, oldest first. */
export async function listKeys(db: Database): Promise<ApiKey[]> {
  const { rows } = await db.query<KeyRow>("select * from service.api_keys order by created_at, id");
  return rows.map(keyOf);
}

export type KeyChange = { at: Date; keyId: string; change: string; actor: string; details: object };

/** Every change of every key, or of one, oldest first. */
export async function keyChanges(db: Database, id?: string): Promise<KeyChange[]> {
  const { rows } = await db.query<KeyChange>(
    `select at, key_id as "keyId", change, actor, details from service.api_key_changes
     where $1::uuid is null or key_id = $1 order by id`,
    [id],
  );
  return rows;
}

type KeyRow = {
  id: string;
  tenant: string;
  name: string;
  scopes: KeyScope[];
  created_at: Date;
  last_used_at: Date | null;
  previous_until: Date | null;
  revoked_at: Date | null;
};

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    scopes: row.scopes,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    previousUntil: row.previous_until ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
