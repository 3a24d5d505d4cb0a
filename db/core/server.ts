import { DatabaseNotReadyError, DatabaseRefusedError } from "./connection-problem.ts";
import type { Database } from "./pool.ts";

/** Properties of the server. */
export type ServerFacts = { postgres: string; database: string; role: string; tls: boolean };

type Row = {
  number: number;
  version: string;
  encoding: string;
  recovery: boolean;
  readOnly: boolean;
  database: string;
  role: string;
  tls: boolean;
  replication: string;
};

const LEAST_VERSION = 150_000;

/**
 * Checks whether a server meets the requirements.
 * @throws DatabaseRefusedError with the first problem, or DatabaseNotReadyError where it may pass
 */
export async function checkServer(db: Database): Promise<ServerFacts> {
  const { rows } = await db.query<Row>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, pg_is_in_recovery() as recovery,
       current_setting('transaction_read_only') = 'on' as "readOnly",
       current_database()::text as database, current_user::text as role,
       coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls,
       current_setting('session_replication_role') as replication`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The server does not say what it is");
  const problem = serverProblem(row);
  if (problem !== undefined) throw new DatabaseRefusedError(problem);
  const { version, database, role, tls } = row;
  const passing = passingProblem(row);
  if (passing !== undefined) throw new DatabaseNotReadyError(passing);
  return { postgres: version.replace(/ .*/, ""), database, role, tls };
}

function serverProblem({ number, version, encoding, database, role, replication }: Row): string | undefined {
  if (number < LEAST_VERSION) {
    return `PostgreSQL 15 or later is needed, and the server of DATABASE_URL is ${version}: upgrade it.`;
  }
  if (encoding !== "UTF8") {
    return (
      `The database ${database} is encoded in ${encoding}, which cannot hold every text: ` +
      "create one with `encoding 'UTF8' template template0`, and name it in DATABASE_URL."
    );
  }
  // Disables foreign keys and triggers; only a superuser may set it.
  if (replication !== "origin") {
    return (
      `Connections of DATABASE_URL come with session_replication_role = ${replication}, which switches foreign keys ` +
      `off: run \`alter role "${role}" in database "${database}" reset session_replication_role\`.`
    );
  }
  return undefined;
}

/** Why the server accepts no writes for now. */
function passingProblem({ recovery, readOnly, database }: Row): string | undefined {
  // As is the next primary for some seconds of a failover.
  if (recovery) {
    return (
      "The server of DATABASE_URL is a standby in recovery, which takes no writes: " +
      "it must become the primary, or DATABASE_URL name the one that is."
    );
  }
  // Set by its operator, or out of space.
  return readOnly
    ? `The database ${database} takes no writes (default_transaction_read_only is on).`
    : undefined;
}
