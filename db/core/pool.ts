import pg from "pg";
import { limitAnswers } from "./answer-limit.ts";
import {
  connectionConfig,
  localSettings,
  prepareConnection,
  preparesStatements,
  refusesOptions,
  type Session,
} from "./session.ts";
import { isResultChanged, neverPrepare } from "./statement.ts";

/** Anything that runs a statement: the pool, or one connection inside a transaction. */
export type Database = Pick<pg.ClientBase, "query">;
/** A connection inside a transaction. Functions that must not run outside of one take this. */
export type Transaction = pg.PoolClient;
export type Pool = pg.Pool & { guard?: Guard | undefined };

/** A check that runs at the start of each transaction of a pool, and throws where it fails. */
export type Guard = (transaction: Transaction) => Promise<void>;

type PoolOptions = {
  /** Name in `pg_stat_activity`. */
  application: string;
  max?: number;
  onError?: (error: Error) => void;
  guard?: Guard;
  /** For commands that read the whole database: no statement timeout. */
  patient?: boolean;
  /** For requests: fails within 5 s without a connection or an answer. */
  prompt?: boolean;
};

/** Timeouts of connecting and of a query, in milliseconds. */
const usual = { connection: 4_000, answer: 30_000 };
const prompt = { connection: 2_000, answer: 2_500 };

// bigint columns hold block numbers, nonces and seconds. One beyond 2^53 is refused, never rounded.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is over 2^53`);
  return value;
});

/** The server's timeout is a little shorter than the client's, so that the connection can be kept. */
const serverShare = 0.92;

const sessions = new WeakMap<pg.Pool, Session>();

const sessionOf = (pool: Pool): Session =>
  sessions.get(pool) ?? { direct: true, known: true, statementTimeout: 0 };

/**
 * Whether connections keep their session settings, as without a pooler in transaction mode. Known after the first
 * connection.
 */
export async function isDirect(pool: Pool): Promise<boolean> {
  const session = sessionOf(pool);
  if (!session.known) (await pool.connect()).release();
  return session.direct;
}

/** Opens a pool, which the caller must end. A lost idle connection is reported, not thrown. */
export function openPool(databaseUrl: string, options: PoolOptions): Pool {
  const wait = options.prompt ? prompt : usual;
  const session: Session = {
    direct: true,
    known: false,
    statementTimeout: options.patient ? 0 : Math.round(wait.answer * serverShare),
  };
  const pool: Pool = new pg.Pool({
    ...connectionConfig(databaseUrl, session),
    application_name: `asset-registry ${options.application}`,
    max: options.max ?? 10,
    connectionTimeoutMillis: wait.connection,
    onConnect: (client) => prepareConnection(client, session),
  });
  sessions.set(pool, session);
  const isPrepared = preparesStatements(databaseUrl);
  if (!isPrepared) neverPrepare(pool);
  goWithoutOptions(pool, databaseUrl, session);
  limitEachStatement(pool);
  pool.guard = options.guard;
  const onError = options.onError ?? (() => undefined);
  pool.on("error", onError);
  // A connection may be lost while checked out: its query fails, and this listener keeps the process alive.
  pool.on("connect", (client) => {
    // A connection closed during a query may emit a second error.
    client.once("error", onError).on("error", () => undefined);
    if (!isPrepared) neverPrepare(client);
    // Behind a pooler in transaction mode the server's timeout can be set for one transaction only.
    if (!options.patient) limitAnswers(client, wait.answer);
  });
  return pool;
}

/** Connects without options where the first connection is refused for them, as poolers do. */
function goWithoutOptions(pool: Pool, databaseUrl: string, session: Session): void {
  type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;
  const connect = pool.connect.bind(pool);
  const connectAnyhow = async (): Promise<pg.PoolClient> => {
    try {
      return await connect();
    } catch (error) {
      if (!refusesOptions(error)) throw error;
      session.direct = false;
      Object.assign(pool.options, { options: undefined }, connectionConfig(databaseUrl, session));
      return await connect();
    }
  };
  const first = (callback?: Connected): Promise<pg.PoolClient> | undefined => {
    const connected = connectAnyhow();
    void connected.then(
      () => {
        session.known = true;
        pool.connect = connect;
      },
      () => undefined,
    );
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  };
  pool.connect = first as typeof pool.connect;
}

/**
 * Behind a pooler each statement runs in a transaction of its own with its settings and timeout, because the next
 * statement may run on another connection.
 */
function limitEachStatement(pool: Pool): void {
  const query = pool.query.bind(pool) as (...asked: unknown[]) => unknown;
  const alone = async (asked: string | pg.QueryConfig, values?: unknown[]) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(begin(" isolation level read committed", sessionOf(pool)));
      const result = await client.query(asked, values);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch((rollbackError: Error) => {
        broken = rollbackError;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };
  pool.query = (async (...given: Parameters<typeof alone>) => {
    const [asked] = given;
    const isOne = typeof asked === "string" || !("submit" in asked);
    return isOne && !(await isDirect(pool)) ? await alone(...given) : await query(...given);
  }) as typeof pool.query;
}

/**
 * Timeouts of a transaction: a lost or suspended process must not hold its locks for long, and a caller waits no longer
 * for a lock than for a connection. Set for this transaction alone, because behind a pooler the next one may run on
 * another connection.
 */
function begin(mode: string, session: Session): string {
  const limits = "set local idle_in_transaction_session_timeout = '10s'; set local lock_timeout = '4s'";
  // Not SET, which would read a list as one name.
  const settings = localSettings(session).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `begin${mode}; ${limits}${settings.length > 0 ? `; select ${settings}` : ""}`;
}

/** Runs `work` in one transaction. Retried once where a migration has changed the result of a prepared statement. */
export function inTransaction<Result>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(pool, " isolation level read committed", work);
}

/** Runs queries on one snapshot, so that they are consistent with each other. */
export function inSnapshot<Result>(
  pool: Pool,
  work: (snapshot: Transaction) => Promise<Result>,
): Promise<Result> {
  return transact(pool, " isolation level repeatable read read only", work);
}

async function transact<Result>(
  pool: Pool,
  mode: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return runOnce(pool, mode, work).catch((error: unknown) => {
    if (isResultChanged(error)) return runOnce(pool, mode, work);
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
    await client.query(begin(mode, sessionOf(pool)));
    await pool.guard?.(client);
    const result = await work(client);
    const { command } = await client.query("commit");
    // PostgreSQL answers COMMIT by ROLLBACK in a transaction with a failed statement.
    if (command !== "COMMIT") throw new Error("A statement of the transaction failed, so nothing was stored");
    return result;
  } catch (error) {
    await client.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    // Its prepared statements are out of date.
    if (isResultChanged(error)) broken ??= error as Error;
    throw error;
  } finally {
    // A connection that could not roll back is in an unknown state, so it is closed.
    client.release(broken);
  }
}

/** Whether the schema is missing. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "42P01" || error.code === "3F000");
}

/** Whether a statement failed for a missing schema, table, column, function or constraint. */
export function isUnknownToSchema(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["3F000", "42P01", "42703", "42883", "42704", "42P10"].includes(code);
}

/** Whether the role is missing a privilege, as on a new table until grants.sql has run. */
export function isMissingRight(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "42501";
}

/** Whether an error means that the database is unreachable or refuses work, so that a retry may help. */
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
