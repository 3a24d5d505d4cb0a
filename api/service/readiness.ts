import { DatabaseNotReadyError } from "../../db/core/connection-problem.ts";
import { isDatabaseUnavailable, isMissingRight, type Pool } from "../../db/core/pool.ts";
import { checkRights } from "../../db/core/privileges.ts";
import { readSchemaVersion, schemaProblem } from "../../db/core/schema-version.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { readWaits } from "../../db/service/indexer-waits.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { waitInWords } from "../../domain/index/indexer-wait.ts";
import { lagProblem } from "../../domain/index/lag.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { registryMismatch } from "./registry.ts";

export type Readiness = { ready: true; position: IndexPosition } | { ready: false; problem: string };

/** Whether answers are up to date: the database answers, and the index follows the chain. */
export async function readiness(services: Dependencies): Promise<Readiness> {
  try {
    const schema = await readSchemaProblem(services);
    if (schema !== undefined) return { ready: false, problem: schema };
    const position = await readIndexPosition(services.pool);
    if (position === undefined) {
      const problem = "The index has not begun: no indexer has ever run on this database.";
      const [wait] = await readWaits(services.pool);
      return {
        ready: false,
        problem: wait === undefined ? problem : `The index has not begun. ${waitInWords(wait)}`,
      };
    }
    const problem = problemOf(position, services, Date.now());
    if (problem === undefined) return { ready: true, position };
    const [wait] = position.haltedReason === undefined ? await readWaits(services.pool) : [];
    return { ready: false, problem: wait === undefined ? problem : `${problem} ${waitInWords(wait)}` };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return { ready: false, problem: "The database does not answer." };
  }
}

/** Missing migrations or privileges, as a message; undefined where none are missing. */
export async function readSchemaProblem({
  monitor,
}: Pick<Dependencies, "monitor">): Promise<string | undefined> {
  return await monitor.share("schema", () => lookAtSchema(monitor.pool));
}

async function lookAtSchema(pool: Pool): Promise<string | undefined> {
  try {
    const problem = schemaProblem(await readSchemaVersion(pool));
    if (problem === undefined) await checkRights(pool, "api");
    return problem;
  } catch (error) {
    if (error instanceof DatabaseNotReadyError) return error.message;
    if (!isMissingRight(error)) throw error;
    return "The API's role has no rights on the tables yet: run docs/postgres/grants.sql as the schema's owner.";
  }
}

function problemOf(
  position: IndexPosition,
  { registryAddress, pollInterval }: Dependencies,
  now: number,
): string | undefined {
  const mismatch = registryMismatch(position, registryAddress);
  if (mismatch !== undefined) return mismatch;
  return lagProblem(position, pollInterval, now);
}
