import pg from "pg";

/**
 * What every statement of this product relies on; a time zone is not among it, and that a database is read-only
 * is left as it is: whoever runs it, or is out of room, means it. Server, database and role may say otherwise for reasons of
 * their own, so each connection says it itself.
 */
const relied = {
  client_encoding: "UTF8",
  DateStyle: "ISO,MDY",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  // All names of ours bear their schema. So nobody's function or table can take the place of the system's.
  search_path: "pg_catalog, pg_temp",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  // Transactions set their own limits; a pool's connection may rest for as long as it likes.
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  lock_timeout: "0",
  plan_cache_mode: "auto",
  // To compile one of these short statements takes longer than to run it. A test keeps all of them too cheap to
  // be compiled; this helps where statistics are far from the truth.
  jit: "off",
} as const;

/** Settings that poolers in transaction mode know: set by one client, they do not reach another. */
const followedByPoolers = ["DateStyle", "standard_conforming_strings"] as const;

/** Where the server answers it, the options of the connection were heeded. */
const MARK = "asset_registry.session";

/** Milliseconds that a new connection is given to answer its first question. */
const FIRST_ANSWER = 4_000;

/** How connections are set up: by the options that they begin with, or, behind a pooler, transaction by transaction. */
export type Session = {
  /** False once the options turned out to be refused or left out: a pooler is in between. */
  direct: boolean;
  /** Whether a connection has come about, which tells. */
  known: boolean;
  /** Milliseconds after which the server ends a statement; 0: never. */
  readonly statementTimeout: number;
};

/** Parts of a connection string; its own options stay, and those of this product come last. */
export function connectionConfig(databaseUrl: string, session: Session): pg.ClientConfig {
  const [, base = databaseUrl, query] = /^([^?]*)\?(.*)$/s.exec(databaseUrl) ?? [];
  const parameters = new URLSearchParams(query);
  const own = parameters.get("options");
  if (own !== null) parameters.delete("options");
  const connectionString = own === null ? databaseUrl : [base, String(parameters)].filter(Boolean).join("?");
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
 * Whether a server refused a connection for its options. Each pooler has words of its own for that; so whatever
 * is not about who connects, to what, or whether there is room, is tried without options.
 */
export function refusesOptions(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return !/^(28|3D|53|57)/.test(error.code ?? "") && !/password|authentication/i.test(error.message);
}

/** Prepares a new connection; notes where its options were left out without a word. */
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

/** What a transaction has to set by itself behind a pooler, for itself alone: the next one may be another client's. */
export function localSettings({
  direct,
  statementTimeout,
}: Session): (readonly [name: string, value: string])[] {
  if (direct) return [];
  const settings = localNames.map((name) => [name, relied[name]] as const);
  return [["statement_timeout", String(statementTimeout)], ...settings];
}
