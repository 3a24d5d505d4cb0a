import { setTimeout as sleep } from "node:timers/promises";
import { connectionProblem, DatabaseRefusedError } from "./connection-problem.ts";
import type { Pool } from "./pool.ts";
import { checkRights, type Part } from "./privileges.ts";
import { readSchemaVersion, schemaProblem } from "./schema-version.ts";
import { checkServer, type ServerFacts } from "./server.ts";

export type DatabaseFacts = ServerFacts & {
  /** The newest migration that has run. */
  schema: string;
  /** Migrations of a newer version, which leave this version working. */
  newer: string[];
};

type Start = {
  databaseUrl: string;
  part: Part;
  signal: AbortSignal;
  /** Called with a message when waiting begins, and again when its reason changes. */
  onWaiting: (problem: string) => void;
};

const PAUSE = 1_000;

/**
 * Waits until the database is reachable, accepts writes, and has its schema and privileges.
 * @returns undefined where `signal` aborts before
 * @throws DatabaseRefusedError where waiting does not help
 */
export async function waitForDatabase(pool: Pool, start: Start): Promise<DatabaseFacts | undefined> {
  let told: string | undefined;
  while (!start.signal.aborted) {
    const found = await look(pool, start);
    if (typeof found !== "string") return found;
    if (found !== told && !start.signal.aborted) start.onWaiting(found);
    told = found;
    await sleep(PAUSE, undefined, { signal: start.signal }).catch(() => undefined);
  }
  return undefined;
}

/** @returns the database's properties, or the reason to wait */
async function look(pool: Pool, { databaseUrl, part }: Start): Promise<DatabaseFacts | string> {
  try {
    const server = await checkServer(pool);
    const version = await readSchemaVersion(pool);
    const problem = schemaProblem(version);
    if (version.isUnreleased) throw new DatabaseRefusedError(problem);
    if (problem !== undefined) return problem;
    await checkRights(pool, part);
    return { ...server, schema: version.newest, newer: version.unknown };
  } catch (error) {
    const { problem, mayPass } = connectionProblem(error, databaseUrl);
    if (mayPass) return problem;
    throw error instanceof DatabaseRefusedError ? error : new DatabaseRefusedError(problem);
  }
}
