import type { Logger } from "pino";
import { metricsTokenDigest } from "../../config/metrics-token.ts";
import type { Config } from "../../config.ts";
import { isDatabaseUnavailable, openPool, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { readWaits } from "../../db/service/indexer-waits.ts";
import { readLease } from "../../db/service/lease.ts";
import { waitInWords } from "../../domain/index/indexer-wait.ts";
import { lagProblem } from "../../domain/index/lag.ts";
import type { Metrics } from "./metrics.ts";
import { createOwnFigures } from "./own-figures.ts";
import { openMonitorPort, type Readiness } from "./port.ts";

export type MonitoringConfig = Pick<Config, "POLL_INTERVAL"> & {
  DATABASE_URL: string;
} & Partial<Pick<Config, "INDEXER_PORT" | "INDEXER_HOST" | "METRICS_TOKEN">>;

/** Role of this process, and what it waits for. */
export type State = { role: "starting" | "standing by" | "leading"; waitingFor: string | undefined };

/** Milliseconds for which an answer of the database is cached. */
const MAX_AGE_MS = 1_000;

/**
 * Serves health, readiness and metrics of this process on INDEXER_PORT, where that is set, over a database connection
 * of its own.
 * @throws PortTakenError where another program has the port, FatalError where it cannot listen for another reason
 */
export async function startMonitoring(
  config: MonitoringConfig,
  { state, metrics, log }: { state: Readonly<State>; metrics: Metrics; log: Logger },
): Promise<{ close: () => Promise<void> }> {
  const { INDEXER_PORT: port, INDEXER_HOST: host = "127.0.0.1", METRICS_TOKEN: token } = config;
  if (port === undefined) return { close: async () => undefined };
  const pool = openPool(config.DATABASE_URL, { application: "indexer monitor", max: 1, prompt: true });
  let last: { at: number; answer: Promise<Readiness> } | undefined;
  const ready = (): Promise<Readiness> => {
    if (last === undefined || performance.now() - last.at >= MAX_AGE_MS) {
      last = { at: performance.now(), answer: readiness(pool, state, config.POLL_INTERVAL) };
    }
    return last.answer;
  };
  try {
    const tokenDigest = token === undefined ? undefined : metricsTokenDigest(token);
    const figures = createOwnFigures(metrics, () => state.role === "leading");
    const opened = await openMonitorPort({ host, port, tokenDigest }, { ready, metrics: figures });
    log.info({ host, port }, "serving health, readiness and metrics");
    return {
      async close() {
        await opened.close();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function readiness(pool: Pool, { role, waitingFor }: State, pollInterval: number): Promise<Readiness> {
  if (role === "starting") return { ready: false, problem: waitingFor ?? "The indexer is starting." };
  try {
    if (role === "standing by") {
      // Without the database a standby could not take over.
      await readLease(pool);
      return { ready: true, role };
    }
    const cursor = await readIndexPosition(pool);
    const problem =
      cursor === undefined ? "The index has not begun." : lagProblem(cursor, pollInterval, Date.now());
    if (problem === undefined) return { ready: true, role };
    const [wait] = cursor?.haltedReason === undefined ? await readWaits(pool) : [];
    return {
      ready: false,
      problem: wait === undefined ? problem : `${problem} ${waitInWords(wait)}`,
    };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return { ready: false, problem: "The database does not answer." };
  }
}
