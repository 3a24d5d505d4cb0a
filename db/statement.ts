import { createHash } from "node:crypto";
import type pg from "pg";
import type { Pool } from "./pool.ts";

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

/**
 * Asks a question that changes nothing. Where the connection has no such statement any more, or has one that
 * this client does not know of, the question is asked again in plain words, and from then on always so.
 */
export async function ask<Row extends pg.QueryResultRow>(
  pool: Pool,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  if (forgetful.has(pool)) return (await pool.query<Row>(text, values)).rows;
  try {
    return (await pool.query<Row>({ name, text, values })).rows;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (!statementLost.some((one) => one === code)) throw error;
    if (code !== CHANGED_RESULT) forgetful.add(pool);
    return (await pool.query<Row>(text, values)).rows;
  }
}

/** A migration has changed the type of a column while the service runs. */
const CHANGED_RESULT = "0A000";
/** There is no such statement; there is one of that name already. */
const statementLost = ["26000", "42P05", CHANGED_RESULT];
