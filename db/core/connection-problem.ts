/** The database cannot be used as it is, and only its operator can change that. The message is one sentence. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
}

/** The database cannot be used for now, and may be soon: it is read-only, or rights are still to be granted. */
export class DatabaseNotReadyError extends Error {
  override readonly name = "DatabaseNotReadyError";
}

export type ConnectionProblem = {
  /** One sentence without the password. */
  problem: string;
  /** Whether it may pass without another DATABASE_URL: the server starts, its network comes up, rights are granted. */
  mayPass: boolean;
};

const certificateCodes =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/** Why connecting failed, and whether to retry. */
export function connectionProblem(error: unknown, databaseUrl: string): ConnectionProblem {
  if (error instanceof DatabaseRefusedError) return { problem: error.message, mayPass: false };
  if (error instanceof DatabaseNotReadyError) return { problem: error.message, mayPass: true };
  // A host with several addresses fails with an error for each.
  if (error instanceof AggregateError) return connectionProblem(error.errors[0], databaseUrl);
  const { user, database, host } = partsOf(databaseUrl);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 300);
  const refused = (problem: string) => ({ problem, mayPass: false });

  if (code === "3D000" || /no such database/.test(message)) {
    return refused(
      `There is no database ${database} at ${host}: create it, or name another in DATABASE_URL.`,
    );
  }
  if (/client password must be a string|password must be a non-empty string/.test(message)) {
    return refused(
      `The server at ${host} wants a password for the role ${user}, and DATABASE_URL holds none.`,
    );
  }
  if (code === "28P01" || /password authentication failed|SASL authentication failed/.test(message)) {
    return refused(
      `The server at ${host} does not accept the password of the role ${user}: check DATABASE_URL.`,
    );
  }
  if (code.startsWith("28") || /no such user/.test(message)) {
    return refused(`The server at ${host} refuses the role ${user} (${message}): check DATABASE_URL.`);
  }
  if (code === "42501") {
    // As after a migration that adds a table, until grants.sql has run.
    return {
      problem:
        `The role ${user} may not do what is needed on the database ${database} (${message}): ` +
        "grant it the rights of docs/postgres/grants.sql.",
      mayPass: true,
    };
  }
  if (/does not support SSL/.test(message)) {
    return refused(
      `DATABASE_URL asks for TLS, and the server at ${host} has none: set sslmode=disable in it.`,
    );
  }
  if (certificateCodes.test(code)) {
    return refused(
      `The certificate of the server at ${host} is not trusted (${message}): ` +
        "name its authority by sslrootcert=<file> in DATABASE_URL.",
    );
  }
  // Wrong parameters (22, 42704), missing features, a database that accepts no connections.
  if (/^(22...|42704|0A000|55000)$/.test(code)) {
    return refused(`The server at ${host} refuses the connection (${message}): check DATABASE_URL.`);
  }
  return { problem: `No connection to the database at ${host} (${message}).`, mayPass: true };
}

function partsOf(databaseUrl: string) {
  const url = URL.parse(databaseUrl);
  return {
    user: decode(url?.username) || "of DATABASE_URL",
    database: decode(url?.pathname.slice(1)) || "of that name",
    host: url === null || url.hostname === "" ? "DATABASE_URL" : `${url.hostname}:${url.port || "5432"}`,
  };
}

function decode(text: string | undefined): string {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return text ?? "";
  }
}
