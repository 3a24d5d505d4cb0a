import { readConfig } from "../config.ts";
import { migrate } from "../db/core/migrate.ts";
import { databaseProblem } from "./terminal/database-problem.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Usage: npm run migrate\n\nBrings the schema of DATABASE_URL up to date. Running it again changes nothing.",
  );
  process.exit(0);
}

try {
  const { DATABASE_URL } = readConfig(process.env, ["DATABASE_URL"]);
  const names = await migrate(DATABASE_URL);
  console.log(names.length === 0 ? "The schema is up to date." : `Migrated: ${names.join(", ")}`);
} catch (error) {
  console.error(databaseProblem(error, process.env["DATABASE_URL"]?.trim(), "check DATABASE_URL"));
  process.exitCode = 1;
}
