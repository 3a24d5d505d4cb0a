import type { Address } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import type { Database } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import type { User } from "./wallets.ts";

/** Kinds of changes by callers of the API. Changes of keys are `key.created` and the like. */
type AuditKind =
  | "asset.requested"
  | "links.requested"
  | "revocation.requested"
  | "transaction.submitted"
  | "hash.reported"
  | "signature.submitted"
  | "transaction.refused"
  | "wallet.started"
  | "wallet.connected"
  | "wallet.removed"
  | "webhook.created"
  | "webhook.changed"
  | "webhook.secret_rotated"
  | "webhook.tested"
  | "webhook.redelivered"
  | "webhook.removed";

/** An event of the audit log. */
export type AuditEvent = {
  kind: AuditKind;
  /** Ids of assets, transactions, wallets, webhooks. */
  about: readonly string[];
  /** Address of the author or the wallet concerned. */
  address?: Address;
};

/** The caller. */
export type Actor = {
  tenant: string | undefined;
  keyId: string | undefined;
  user: User | undefined;
  requestId: string | undefined;
  /** The network that the request came from. */
  client: string;
};

/** Adds a row to the audit trail, in the transaction of the change. */
export async function insertAudit(tx: Database, by: Actor, event: AuditEvent): Promise<void> {
  await ask(tx, insert, [
    event.kind,
    by.tenant ?? null,
    by.keyId ?? null,
    by.user?.issuer ?? null,
    by.user?.subject ?? null,
    event.address === undefined ? null : toBytes(event.address),
    event.about,
    by.requestId ?? null,
    by.client,
  ]);
}

const insert = statement(`
  insert into service.audit (kind, tenant, key_id, issuer, subject, address, about, request_id, client)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

/** Deletes a batch of rows older than `days`, without the privilege to change one. @returns how many */
export async function removeOldAudit(db: Database, most: number, days: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.audit where id in (
       select id from service.audit where at < now() - make_interval(days => $2)
       order by at limit $1)`,
    [most, days],
  );
  return rowCount ?? 0;
}
