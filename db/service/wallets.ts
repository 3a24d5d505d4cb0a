import type { Address } from "viem";
import { addressFromBytes, toBytes } from "../../domain/bytes.ts";
import { limits } from "../../domain/limits.ts";
import type { Database, Transaction } from "../core/pool.ts";

/** A user of an identity provider: subjects are unique within their issuer only. */
export type User = { issuer: string; subject: string };

export type Wallet = { id: string; name: string; description: string; address: Address };

export type WalletInitialisation = {
  id: string;
  user: User;
  name: string;
  description: string;
  token: string;
  expiresAt: Date;
  expired: boolean;
  used: boolean;
};

type WalletRow = { id: string; name: string; description: string; address: Buffer };

const parseWallet = (row: WalletRow): Wallet => ({
  id: row.id,
  name: row.name,
  description: row.description,
  address: addressFromBytes(row.address),
});

/** Wallets of a user in the order of connecting. */
export async function walletsOf(db: Database, user: User): Promise<Wallet[]> {
  const { rows } = await db.query<WalletRow>(
    `select id, name, description, address from service.wallets
     where issuer = $1 and subject = $2 order by connected_at, id`,
    [user.issuer, user.subject],
  );
  return rows.map(parseWallet);
}

export async function holdsAddress(db: Database, user: User, address: Address): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from service.wallets where issuer = $1 and subject = $2 and address = $3",
    [user.issuer, user.subject, toBytes(address)],
  );
  return rowCount === 1;
}

/** @returns its address; undefined where the user has no such wallet */
export async function removeWallet(db: Database, user: User, id: string): Promise<Address | undefined> {
  const { rows } = await db.query<{ address: Buffer }>(
    "delete from service.wallets where id = $1 and issuer = $2 and subject = $3 returning address",
    [id, user.issuer, user.subject],
  );
  return rows[0] && addressFromBytes(rows[0].address);
}

/**
 * Stores an initialisation, unless the user has too many open ones. Concurrent calls may exceed the limit.
 * @returns whether it was stored
 */
export async function insertInitialisation(
  db: Database,
  initialisation: Omit<WalletInitialisation, "expired" | "used">,
  mostOpen: number = limits.openInitialisations,
): Promise<boolean> {
  const { id, user, name, description, token, expiresAt } = initialisation;
  const { rowCount } = await db.query(
    `insert into service.wallet_initialisations (id, issuer, subject, name, description, token, expires_at)
     select $1, $2, $3, $4, $5, $6, $7
     where (
       select count(*) from (
         select from service.wallet_initialisations
         where issuer = $2 and subject = $3 and used_at is null and expires_at > now() limit $8) open) < $8`,
    [id, user.issuer, user.subject, name, description, token, expiresAt, mostOpen],
  );
  return rowCount === 1;
}

/** Deletes a batch of initialisations that expired more than a day ago. @returns how many */
export async function removeOldInitialisations(db: Database, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from service.wallet_initialisations where id in (
       select id from service.wallet_initialisations where expires_at < now() - interval '1 day'
       order by expires_at limit $1 for update skip locked)`,
    [most],
  );
  return rowCount ?? 0;
}

type InitialisationRow = {
  id: string;
  name: string;
  description: string;
  token: string;
  expires_at: Date;
  expired: boolean;
  used: boolean;
};

/** The initialisation that this user started. */
export function findInitialisation(
  db: Database,
  user: User,
  id: string,
): Promise<WalletInitialisation | undefined> {
  return readInitialisation(db, user, id, "");
}

/** The initialisation that this user started, locked so that it completes once. */
export function lockInitialisation(
  tx: Transaction,
  user: User,
  id: string,
): Promise<WalletInitialisation | undefined> {
  return readInitialisation(tx, user, id, "for update");
}

async function readInitialisation(
  db: Database,
  user: User,
  id: string,
  lock: "" | "for update",
): Promise<WalletInitialisation | undefined> {
  const { rows } = await db.query<InitialisationRow>(
    `select id, name, description, token, expires_at, expires_at <= now() as expired, used_at is not null as used
     from service.wallet_initialisations where id = $1 and issuer = $2 and subject = $3 ${lock}`,
    [id, user.issuer, user.subject],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { expires_at: expiresAt, ...rest } = row;
  return { ...rest, user, expiresAt };
}

export type Connected = { wallet: Wallet } | { takenByAnother: true } | { tooMany: true };

/**
 * Completes an initialisation, unless the user has too many wallets. An address that the same user has connected keeps
 * its wallet; one of another user stays theirs.
 */
export async function connectWallet(
  tx: Transaction,
  initialisation: WalletInitialisation,
  address: Address,
): Promise<Connected> {
  const { id, user, name, description } = initialisation;
  const inserted = await tx.query<WalletRow>(
    `insert into service.wallets (id, issuer, subject, name, description, address)
     select $1, $2, $3, $4, $5, $6
     where (select count(*) from service.wallets where issuer = $2 and subject = $3) < $7
     on conflict (address) do nothing
     returning id, name, description, address`,
    [id, user.issuer, user.subject, name, description, toBytes(address), limits.wallets],
  );
  const held = inserted.rows[0]
    ? inserted
    : await tx.query<WalletRow>(
        `select id, name, description, address from service.wallets
         where address = $1 and issuer = $2 and subject = $3`,
        [toBytes(address), user.issuer, user.subject],
      );
  if (held.rows[0] === undefined) return await whyNot(tx, address);
  await tx.query("update service.wallet_initialisations set used_at = now() where id = $1", [id]);
  return { wallet: parseWallet(held.rows[0]) };
}

async function whyNot(db: Database, address: Address): Promise<Connected> {
  const { rowCount } = await db.query("select from service.wallets where address = $1", [toBytes(address)]);
  return rowCount === 0 ? { tooMany: true } : { takenByAnother: true };
}
