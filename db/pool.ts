import pg from "pg";
import { limitAnswers } from "./answer-limit.ts";
import { isStatementLost, lend } from "./statement.ts";

/** Anything that runs a statement: the pool, or one connection inside a transaction. */
export type Database = Pick<pg.ClientBase, "query">;
/** A connection inside a transaction. Functions that must not run outside of one take this. */
export type Transaction = pg.PoolClient;
export type Pool = pg.Pool & { guard?: Guard | undefined };

/** What each transaction of a pool has to prove before its work begins; throws where it cannot. */
export type Guard = (transaction: Transaction) => Promise<void>;

type PoolOptions = {
  /** Name in `pg_stat_activity`. */
  application: string;
  max?: number;
  onError?: (error: Error) => void;
  guard?: Guard;
  /** For commands that read the whole database: a statement may take as long as it needs. */
  patient?: boolean;
  /** For requests that somebody waits for: who gets no connection or no answer in time learns so within 5 s. */
  prompt?: boolean;
};

/** Milliseconds until a connection is had, and until a query is answered. */
const usual = { connection: 4_000, answer: 30_000 };
const prompt = { connection: 2_000, answer: 2_500 };

// bigint columns hold block numbers, nonces and seconds. One beyond 2^53 is refused, never rounded.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is over 2^53`);
  return value;
});

/** Opens a pool; whoever opens it ends it. A connection that dies while idle is reported, not thrown. */
export function openPool(databaseUrl: string, options: PoolOptions): Pool {
  const wait = options.prompt ? prompt : usual;
  const pool: Pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: `asset-registry ${options.application}`,
    max: options.max ?? 10,
    connectionTimeoutMillis: wait.connection,
  });
  pool.guard = options.guard;
  const onError = options.onError ?? (() => undefined);
  pool.on("error", onError);
  // A connection may also die while it is checked out; its query then fails and this keeps the process alive.
  pool.on("connect", (client) => {
    // One that is closed in the middle of its work may have a second word to say.
    client.once("error", onError).on("error", () => undefined);
    // Kept by the client: a pooler such as PgBouncer refuses connections that ask the server for it.
    if (!options.patient) limitAnswers(client, wait.answer);
  });
  return pool;
}

/**
 * A transaction whose process is gone or stuck must not hold its locks for long, and a caller waits no longer
 * for a lock than for a connection. Set for this transaction alone, because behind a pooler the next one may
 * run on another connection.
 */
const begin = (mode: string) =>
  `begin${mode}; set local idle_in_transaction_session_timeout = '10s'; set local lock_timeout = '4s'`;

/** Runs `work` in one transaction: all of it is stored, or nothing. Once more where a connection forgot a statement. */
export function inTransaction<Result>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(pool, "", work);
}

/** Runs questions that must agree with each other on one snapshot, whatever is written meanwhile. */
export function inSnapshot<Result>(
  pool: Pool,
  work: (snapshot: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(pool, " isolation level repeatable read, read only", work);
}

async function transact<Result>(
  pool: Pool,
  mode: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return runOnce(pool, mode, work).catch((error: unknown) => {
    if (isStatementLost(error)) return runOnce(pool, mode, work);
    throw error;
  });
}

async function runOnce<Result>(
  pool: Pool,
  mode: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    lend(client, pool);
    await client.query(begin(mode));
    await pool.guard?.(client);
    const result = await work(client);
    const { command } = await client.query("commit");
    // PostgreSQL answers the commit of a transaction in which a statement failed by rolling it back.
    if (command !== "COMMIT") throw new Error("A statement of the transaction failed, so nothing was stored");
    return result;
  } catch (error) {
    await client.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    // A connection that could not roll back is in an unknown state: it is closed, not reused.
    client.release(broken);
  }
}

/** Whether the schema has not been made yet. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "42P01" || error.code === "3F000");
}

/** Whether an error means that the database cannot be reached or is not taking work, so that trying later may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  // 08: connection, 53: resources, 57: operator intervention, 25006: read-only, 25P03: idle in a transaction
  // for too long, 40P01: ended so that others who waited for each other can go on, 55P03: lock timeout.
  if (/^(08|53|57)/.test(code) || ["25006", "25P03", "40P01", "55P03"].includes(code)) return true;
  if (networkCodes.includes(code)) return true;
  return /Connection terminated|is not queryable|timeout exceeded when trying to connect|Query read timeout/.test(
    error.message,
  );
}

const networkCodes = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
];
