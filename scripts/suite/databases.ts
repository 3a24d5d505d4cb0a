import pg from "pg";

import { pgbouncerMissing, startPgbouncer } from "../../test/support/database/pgbouncer.ts";
import { findInstalledBinaries } from "../local/postgres/binaries.ts";
import { startPostgres } from "../local/postgres/server.ts";

export type TestServer = {
  /** Environment of test/support/database/postgres.ts. */
  environment: Record<string, string>;
  /** Description for the output. */
  about: string;
  stop(): Promise<void>;
};

/** A kind of database that tests can be run on. */
export type DatabaseKind = "embedded" | "installed" | "pooled";

/** Something has to be installed before tests can be run on that kind. */
export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";
}

/** @throws NotInstalledError */
export async function startTestServer(kind: DatabaseKind): Promise<TestServer> {
  if (kind === "embedded") {
    const { adminUrl, stop } = await startPostgres({ ephemeral: true });
    return { environment: { TEST_DATABASE_URL: adminUrl }, about: "the embedded PostgreSQL", stop };
  }
  const installed = findInstalledBinaries();
  if (installed === undefined) {
    throw new NotInstalledError("no PostgreSQL server is installed: apt-get install postgresql");
  }
  if (kind === "pooled" && pgbouncerMissing !== undefined) throw new NotInstalledError(pgbouncerMissing);
  const { adminUrl, stop } = await startPostgres({ ephemeral: true, installed });
  try {
    const version = await versionOf(adminUrl);
    if (kind === "installed") return { environment: { TEST_DATABASE_URL: adminUrl }, about: version, stop };
    const pooler = await startPgbouncer(adminUrl, { everyDatabase: true });
    return {
      environment: { TEST_DATABASE_URL: adminUrl, TEST_POOLER_URL: pooler.url },
      about: `${version}, through PgBouncer in transaction mode`,
      stop: () => pooler.stop().finally(stop),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function versionOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string; jit: boolean }>(
      "select current_setting('server_version') as version, current_setting('jit')::boolean and pg_jit_available() as jit",
    );
    return `PostgreSQL ${rows[0]?.version} of the system, JIT ${rows[0]?.jit ? "on" : "off"}`;
  } finally {
    await client.end();
  }
}

export function databaseKind(text = "embedded"): DatabaseKind {
  if (text === "embedded" || text === "installed" || text === "pooled") return text;
  throw new Error(`TEST_DATABASE must be embedded, installed or pooled, not ${text}`);
}
