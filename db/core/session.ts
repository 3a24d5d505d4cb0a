import pg from "pg";

/**
 * Session settings that every statement relies on. Server, database and role may have others, so each connection sets
 * them. The time zone does not matter, and read-only mode is left as it is.
 */
const relied = {
  client_encoding: "UTF8",
  DateStyle: "ISO,MDY",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  // Our names are qualified, so no function or table can shadow one of the system.
  search_path: "pg_catalog, pg_temp",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  // Transactions set their own timeouts; an idle connection of a pool has none.
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  lock_timeout: "0",
  plan_cache_mode: "auto",
  // Compiling one of these short statements takes longer than running it. A test keeps their cost below the limit
  // for JIT; this helps where statistics are far off.
  jit: "off",
} as const;

/** Settings that poolers in transaction mode track for each client. */
const followedByPoolers = ["DateStyle", "standard_conforming_strings"] as const;

/** A setting by which a new connection checks whether its options were applied. */
const MARK = "asset_registry.session";

/** Milliseconds for the first query of a new connection. */
const FIRST_ANSWER = 4_000;

/** How connections get their settings: by startup options, or by transaction behind a pooler. */
export type Session = {
  /** False once options were refused or ignored, which means a pooler. */
  direct: boolean;
  /** Whether a connection has succeeded, after which this is known. */
  known: boolean;
  /** The server's statement timeout in milliseconds; 0: none. */
  readonly statementTimeout: number;
};

/** Parameter of DATABASE_URL; off where a pooler in transaction mode does not track prepared statements. */
const PREPARED = "prepared_statements";

export function preparesStatements(databaseUrl: string): boolean {
  return parametersOf(databaseUrl).get(PREPARED) !== "off";
}

const parametersOf = (databaseUrl: string): URLSearchParams =>
  new URLSearchParams(databaseUrl.split("?").slice(1).join("?"));

/** Parts of a connection string; its own options stay, and those of this product come last. */
export function connectionConfig(databaseUrl: string, session: Session): pg.ClientConfig {
  const [base = ""] = databaseUrl.split("?", 1);
  const parameters = parametersOf(databaseUrl);
  const own = parameters.get("options");
  const isOurs = own !== null || parameters.has(PREPARED);
  for (const name of ["options", PREPARED]) parameters.delete(name);
  const connectionString = isOurs ? [base, String(parameters)].filter(Boolean).join("?") : databaseUrl;
  const options = [...(own === null ? [] : [own]), ...(session.direct ? [optionsOf(session)] : [])];
  return { connectionString, ...(options.length > 0 && { options: options.join(" ") }) };
}

function optionsOf({ statementTimeout }: Session): string {
  const all = { ...relied, statement_timeout: String(statementTimeout), [MARK]: "on" };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`)
    .join(" ");
}

/**
 * Whether a server refused a connection for its options. Poolers word that differently, so every error that is not about
 * role, database or capacity is retried without options.
 */
export function refusesOptions(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return !/^(28|3D|53|57)/.test(error.code ?? "") && !/password|authentication/i.test(error.message);
}

/** Prepares a new connection, and detects ignored options. */
export async function prepareConnection(client: pg.ClientBase, session: Session): Promise<void> {
  const patient = { query_timeout: FIRST_ANSWER };
  if (session.direct) {
    const ask = { text: `select current_setting('${MARK}', true) as mark`, ...patient };
    const { rows } = await client.query<{ mark: string | null }>(ask);
    session.direct = rows[0]?.mark === "on";
  }
  if (session.direct) return;
  const text = followedByPoolers.map((name) => `set ${name} = '${relied[name]}'`).join("; ");
  await client.query({ text, ...patient });
}

const localNames = [
  "IntervalStyle",
  "bytea_output",
  "extra_float_digits",
  "array_nulls",
  "search_path",
  "plan_cache_mode",
  "jit",
] as const;

/** Settings of one transaction behind a pooler, where the next may be another client's. */
export function localSettings({
  direct,
  statementTimeout,
}: Session): (readonly [name: string, value: string])[] {
  if (direct) return [];
  const settings = localNames.map((name) => [name, relied[name]] as const);
  return [["statement_timeout", String(statementTimeout)], ...settings];
}
