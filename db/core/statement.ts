import { createHash } from "node:crypto";
import type pg from "pg";
import type { Database, Pool, Transaction } from "./pool.ts";

/** A statement that the database parses and plans once for each connection, for questions asked all the time. */
export type Statement = { name: string; text: string };

/**
 * The name is made of the text. So a pooler that hands this client the connection of another, of an older or
 * newer version too, can never make it run a statement with other words.
 */
export function statement(text: string): Statement {
  return { name: `s${createHash("sha256").update(text).digest("hex").slice(0, 24)}`, text };
}

/** Pools whose connections turned out to keep no statements: behind a pooler in transaction mode, for one. */
const forgetful = new WeakSet<Pool>();

/** The pool of each connection that is inside a transaction. */
const poolOf = new WeakMap<Database, Pool>();

/** Says which pool a transaction runs on, so that its statements can be named too. */
export function lend(transaction: Transaction, pool: Pool): void {
  poolOf.set(transaction, pool);
}

/**
 * Runs a statement by its name. Where the connection has no such statement any more, or has one that this client
 * does not know of, it is run again in plain words, and from then on always so. Inside a transaction, which such
 * an error ends, `inTransaction` begins again.
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

/** Whether statements have no names any more on this pool. */
export const isForgetful = (pool: Pool): boolean => forgetful.has(pool);

/** Notes that a statement failed for its name alone. After a migration the next connection knows better. */
export function noteLost(pool: Pool, error: unknown): void {
  if (codeOf(error) !== CHANGED_RESULT) forgetful.add(pool);
}

/** Whether a statement failed for its name alone. */
export function isStatementLost(error: unknown): boolean {
  const code = codeOf(error);
  return statementLost.some((one) => one === code);
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

/** A migration has changed the type of a column while the service runs. */
const CHANGED_RESULT = "0A000";
/** There is no such statement; there is one of that name already. */
const statementLost = ["26000", "42P05", CHANGED_RESULT];
