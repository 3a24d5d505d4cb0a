import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { ConfigError, readConfig } from "../config.ts";
import { readCursor } from "../db/cursor.ts";
import { proveLease } from "../db/lease.ts";
import { openPool } from "../db/pool.ts";
import { beginIndex } from "./begin.ts";
import { backOff, FatalError } from "./errors.ts";
import { whileLeading } from "./lease.ts";
import { followChain } from "./loop.ts";
import { connectNode } from "./node.ts";
import { createProgress } from "./progress.ts";
import { createSync } from "./sync.ts";
import { createWatch } from "./watch.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Usage: npm run indexer\n\n" +
      "Follows the chain behind RPC_URL and keeps the index in DATABASE_URL. Needs DATABASE_URL, RPC_URL and\n" +
      "REGISTRY_ADDRESS. Can be stopped and started at any time. Of several on one database one writes; the\n" +
      "others stand by and take over when it is gone.",
  );
  process.exit(0);
}

const stop = new AbortController();
for (const event of ["SIGINT", "SIGTERM", "disconnect"]) process.once(event, () => stop.abort());

try {
  await run(stop.signal);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof FatalError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  // An open channel to a parent process would keep this one alive.
  if (process.connected) process.disconnect();
}

async function run(signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env, ["DATABASE_URL", "RPC_URL", "REGISTRY_ADDRESS"]);
  const log = pino({ level: config.LOG_LEVEL, base: { part: "indexer" } });
  const holder = randomUUID();
  const pool = openPool(config.DATABASE_URL, {
    application: `indexer ${holder.slice(0, 8)}`,
    max: 5,
    onError: (error) => log.warn({ err: error }, "a database connection broke"),
    guard: (tx) => proveLease(tx, holder),
  });
  const progress = createProgress(log);
  try {
    await whileLeading({ pool, holder, seconds: config.LEASE_SECONDS, log, onBeat }, signal, lead);
    log.info("stopped");
  } finally {
    await pool.end();
  }

  async function lead(leading: AbortSignal): Promise<void> {
    const node = connectNode(config.RPC_URL);
    const settings = { registry: config.REGISTRY_ADDRESS, startBlock: config.START_BLOCK };
    await untilReachable(() => beginIndex(pool, node, settings), leading);
    log.info({ ...settings }, "following the chain");
    const sync = createSync({ pool, node, confirmations: config.CONFIRMATIONS, log });
    const watch = createWatch({ pool, node, log });
    await followChain(
      { step: sync.step, pass: watch.pass },
      { pool, pollInterval: config.POLL_INTERVAL, log },
      leading,
    );
  }

  async function onBeat(): Promise<number | undefined> {
    const cursor = await readCursor(pool);
    return cursor && progress.note(cursor);
  }

  /** Node or database may come up later than this process; a setting that is wrong ends it. */
  async function untilReachable(begin: () => Promise<void>, leading: AbortSignal): Promise<void> {
    for (let failures = 1; !leading.aborted; failures += 1) {
      try {
        return await begin();
      } catch (error) {
        if (error instanceof FatalError) throw error;
        const seconds = Math.max(1, backOff(failures));
        log.warn({ err: error, retryInSeconds: seconds }, "node or database cannot be reached yet");
        await sleep(seconds * 1000, undefined, { signal: leading }).catch(() => undefined);
      }
    }
  }
}
