import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import { ConfigError, readConfig } from "../config.ts";
import { tryLock } from "./bootstrap/lock.mjs";
import { createClosers } from "./local/closers.ts";
import { launch } from "./local/launch.ts";
import { checkPorts, planOf, StartError } from "./local/plan.ts";
import { killAll } from "./local/process.ts";
import { publish, readyLine, retract, welcome } from "./local/welcome.ts";
import { createProgress } from "./terminal/progress.ts";
import { onStop } from "./terminal/stop-signals.ts";

const usage = `Usage: npm start

Runs the whole service in this terminal: database, chain, deployed registry, identity provider, indexer
and API. Set DATABASE_URL, RPC_URL, REGISTRY_ADDRESS or OIDC_ISSUER to use what exists instead. When the
service is ready it prints its addresses, a fresh API key and one line "ready {...}". Ctrl-C stops it.

Where another one runs on this machine, give each its own PORT, CHAIN_PORT, OIDC_PORT and DATA_DIR.
WEBHOOK_ALLOW_NETWORKS=127.0.0.1 lets webhooks call receivers on this machine (docs/events.md).`;

const GIVE_UP_MS = 3_000;

async function main(): Promise<number> {
  const config = readConfig(process.env, [], { runsStandIns: true });
  const plan = planOf(config);
  const lockFile = join(plan.dataDir, "start.lock");
  const lock = holdDataDir(lockFile, plan.dataDir);
  if ("heldBy" in lock) {
    throw new StartError(
      `Another \`npm start\` (process ${lock.heldBy}) is using ${plan.dataDir}.\n` +
        "Stop that one first, or set DATA_DIR to another folder, and PORT, CHAIN_PORT and OIDC_PORT to other ports.",
    );
  }
  const progress = createProgress();
  const closers = createClosers();
  const abort = new AbortController();
  try {
    await checkPorts(config, plan);
    retract(plan.dataDir);
    if (plan.emptyDatabase)
      progress.say("The local chain forgets everything when it ends, so the database begins empty with it.");

    const failure = Promise.withResolvers<never>();
    const stop = Promise.withResolvers<"stop">();
    onStop(() => stop.resolve("stop"), forceEnd);
    const fail = (reason: string) => failure.reject(new StartError(reason));
    const launching = launch({ config, plan, progress, closers, signal: abort.signal, fail });
    failure.promise.catch(() => {}); // of interest only while it is waited for
    try {
      const service = await Promise.race([launching, stop.promise, failure.promise]);
      if (service !== "stop") {
        publish(plan.dataDir, service);
        progress.say(`${welcome(service, plan.dataDir)}\n${readyLine(service)}`);
        await Promise.race([stop.promise, failure.promise]);
      }
      progress.say("Stopping. Press Ctrl-C again to end everything by force.");
      return 0;
    } finally {
      progress.abandonSteps();
      retract(plan.dataDir);
      abort.abort();
      // A part that is still starting is closed as soon as it is up.
      await Promise.race([launching.catch(() => {}), sleep(GIVE_UP_MS, undefined, { ref: false })]);
      await closers.close((name) => name !== "" && progress.say(`stopping the ${name}`));
    }
  } finally {
    progress.end();
    lock.release();
  }
}

function holdDataDir(lockFile: string, dataDir: string): ReturnType<typeof tryLock> {
  try {
    return tryLock(lockFile);
  } catch (error) {
    throw new StartError(
      `The folder ${dataDir} cannot be written: ${(error as Error).message}.\n` +
        "Set DATA_DIR to a folder that this user may write, or make room there.",
    );
  }
}

function readArguments(): "start" | "help" | "unknown" {
  try {
    const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
    return values.help ? "help" : "start";
  } catch {
    return "unknown";
  }
}

function forceEnd(): void {
  killAll();
  process.exit(130);
}

// The terminal may be closed before the service has stopped.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const wish = readArguments();
if (wish === "help") console.log(usage);
else if (wish === "unknown") {
  console.error(usage);
  process.exitCode = 1;
} else {
  try {
    process.exitCode = await main();
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof StartError;
    console.error(error instanceof Error ? error.message : String(error));
    if (!expected && process.env["LOG_LEVEL"] === "debug") console.error(error);
    process.exitCode = 1;
  }
}
// A step that was given up may still wait for its answer.
setTimeout(() => process.exit(), 2_000).unref();
