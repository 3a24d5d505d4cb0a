import { createHash } from "node:crypto";
import type pg from "pg";
import type { Database, Pool, Transaction } from "./pool.ts";

/** A prepared statement, parsed and planned once for each connection, for frequent queries. */
export type Statement = { name: string; text: string };

/**
 * The name is a hash of the text, so that behind a pooler a connection of another client, of another version too, never
 * runs a statement with another text.
 */
export function statement(text: string): Statement {
  return { name: `s${createHash("sha256").update(text).digest("hex").slice(0, 24)}`, text };
}

/** Pools whose connections lose prepared statements, as behind a pooler in transaction mode. */
const forgetful = new WeakSet<Pool>();

/** The pool of each connection that is inside a transaction. */
const poolOf = new WeakMap<Database, Pool>();

/** Registers the pool of a transaction, so that its statements can be prepared too. */
export function lend(transaction: Transaction, pool: Pool): void {
  poolOf.set(transaction, pool);
}

/**
 * Runs a prepared statement. Where the connection has lost it, or has one that this client does not know of, it runs
 * unprepared from then on. Inside a transaction, which such an error ends, `inTransaction` retries.
 */
export async function ask<Row extends pg.QueryResultRow>(
  db: Database,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const pool = poolOf.get(db) ?? (db as Pool);
  if (isForgetful(pool)) return (await db.query<Row>(text, values)).rows;
  try {
    return (await db.query<Row>({ name, text, values })).rows;
  } catch (error) {
    if (!isStatementLost(error)) throw error;
    if (pool !== db) forgetful.add(pool);
    else noteLost(pool, error);
    if (pool !== db) throw error;
    return (await db.query<Row>(text, values)).rows;
  }
}

export const isTransaction = (db: Database): boolean => poolOf.has(db);

/** Whether this pool no longer prepares statements. */
export const isForgetful = (pool: Pool): boolean => forgetful.has(pool);

/** Reports that preparing failed. After a migration a new connection is enough. */
export function noteLost(pool: Pool, error: unknown): void {
  if (codeOf(error) !== CHANGED_RESULT) forgetful.add(pool);
}

/** Whether a statement failed only because it was prepared. */
export function isStatementLost(error: unknown): boolean {
  const code = codeOf(error);
  return statementLost.some((one) => one === code);
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

/** SQLSTATE where a migration has changed the type of a column meanwhile. */
const CHANGED_RESULT = "0A000";
/** SQLSTATEs of a missing prepared statement, and of a duplicate one. */
const statementLost = ["26000", "42P05", CHANGED_RESULT];
