import { readConfig } from "../config.ts";
import { migrate } from "../db/migrate.ts";

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
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
