/**
 * Why a command has failed on its database, in words that its user can act on and without the password.
 * @param remedy what to do where nothing answers
 */
export function databaseProblem(error: unknown, databaseUrl: string | undefined, remedy: string): string {
  const code = codeOf(error);
  if (code === "42P01") return "The database has no tables yet: run `npm run migrate` first.";
  const url = databaseUrl === undefined ? null : URL.parse(databaseUrl);
  if (code === "ECONNREFUSED" && url !== null) {
    return `Nothing answers at ${url.hostname}:${url.port || "5432"}: ${remedy}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** A name that stands for several addresses fails with an error for each. */
function codeOf(error: unknown): unknown {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error ? error.code : undefined;
}
