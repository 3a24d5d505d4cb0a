import { connectionProblem } from "../../db/core/connection-problem.ts";
import { NewerSchemaError } from "../../db/core/migrate.ts";
import { isUndefinedTable } from "../../db/core/pool.ts";

/**
 * Why a command has failed on its database, in words that its user can act on and without the password.
 * @param remedy what to do where nothing answers
 */
export function databaseProblem(error: unknown, databaseUrl: string | undefined, remedy: string): string {
  if (error instanceof AggregateError) return databaseProblem(error.errors[0], databaseUrl, remedy);
  if (isUndefinedTable(error)) return "The database has no tables yet: run `npm run migrate` first.";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const url = databaseUrl === undefined ? null : URL.parse(databaseUrl);
  if (code === "ECONNREFUSED" && url !== null) {
    return `Nothing answers at ${url.hostname}:${url.port || "5432"}: ${remedy}.`;
  }
  if (databaseUrl !== undefined && !(error instanceof NewerSchemaError)) {
    const { problem, mayPass } = connectionProblem(error, databaseUrl);
    if (!mayPass || code === "42501") return problem;
  }
  return error instanceof Error ? error.message : String(error);
}
