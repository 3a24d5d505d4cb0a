import { createHash } from "node:crypto";
import pg from "pg";

/** A pool, or a connection. */
type Database = Pick<pg.ClientBase, "query">;

/** A prepared statement, parsed and planned once for each connection, for frequent queries. */
export type Statement = { name: string; text: string };

/**
 * The name is a hash of the text, so that behind a pooler a connection of another client, of another version too, never
 * runs a statement with another text.
 */
export function statement(text: string): Statement {
  return { name: `s${createHash("sha256").update(text).digest("hex").slice(0, 24)}`, text };
}

/** Pools and connections whose statements are not prepared. */
const unprepared = new WeakSet<Database>();

/** Runs all statements of a pool or connection unprepared, because a pooler would lose them. */
export function neverPrepare(db: Database): void {
  unprepared.add(db);
}

/**
 * Runs a prepared statement. Where a migration has changed its result meanwhile, it runs unprepared; inside a
 * transaction, which that error ends, `inTransaction` retries.
 */
export async function ask<Row extends pg.QueryResultRow>(
  db: Database,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  if (unprepared.has(db)) return (await db.query<Row>(text, values)).rows;
  try {
    return (await db.query<Row>({ name, text, values })).rows;
  } catch (error) {
    if (isResultChanged(error) && db instanceof pg.Pool) return (await db.query<Row>(text, values)).rows;
    if (codeOf(error) !== MISSING && codeOf(error) !== DUPLICATE) throw error;
    throw new Error(
      "A pooler in transaction mode has lost a prepared statement: add prepared_statements=off to DATABASE_URL, or let the pooler track them.",
      { cause: error },
    );
  }
}

/** Whether a prepared statement failed only because a migration has changed the type of a column meanwhile. */
export const isResultChanged = (error: unknown): boolean => codeOf(error) === "0A000";

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

/** SQLSTATEs of prepared statements. */
const MISSING = "26000";
const DUPLICATE = "42P05";
