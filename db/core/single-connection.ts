import pg from "pg";
import {
  connectionConfig,
  prepareConnection,
  preparesStatements,
  refusesOptions,
  type Session,
} from "./session.ts";
import { neverPrepare } from "./statement.ts";

/** Opens one connection without a statement timeout for a command; the caller must end it. */
export async function connectSingle(databaseUrl: string, application: string): Promise<pg.Client> {
  const session: Session = { direct: true, known: false, statementTimeout: 0 };
  try {
    return await connect(databaseUrl, application, session);
  } catch (error) {
    if (!refusesOptions(error)) throw error;
    session.direct = false;
    return await connect(databaseUrl, application, session);
  }
}

async function connect(databaseUrl: string, application: string, session: Session): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionConfig(databaseUrl, session),
    application_name: `asset-registry ${application}`,
    connectionTimeoutMillis: 10_000,
  });
  if (!preparesStatements(databaseUrl)) neverPrepare(client);
  client.on("error", () => undefined);
  await client.connect();
  try {
    await prepareConnection(client, session);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}
