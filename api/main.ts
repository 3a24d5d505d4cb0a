import { once } from "node:events";
import { openLog } from "../config/log.ts";
import { ConfigError, publicUrl, readConfig, WRONG_SETTING_EXIT_CODE } from "../config.ts";
import { DatabaseRefusedError } from "../db/core/connection-problem.ts";
import { followNotifications } from "../db/core/notifications.ts";
import { openPool } from "../db/core/pool.ts";
import { createApp } from "./app.ts";
import { deliver } from "./deliveries/deliver.ts";
import { close, createHttpServer, listen } from "./http/server.ts";
import { createDependencies, requiredSettings } from "./operation/dependencies.ts";
import { createMonitor } from "./service/monitor.ts";
import { sweepUp } from "./service/sweeps.ts";
import { checkStart, WrongSettingError } from "./start-checks.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Usage: npm run api\n\n" +
      "Serves the HTTP API on HOST and PORT. Needs DATABASE_URL, RPC_URL, REGISTRY_ADDRESS and OIDC_ISSUER.\n" +
      "Starts while node, database or identity provider are down: GET /ready says what is missing.",
  );
  process.exit(0);
}

const stop = new AbortController();
for (const event of ["SIGINT", "SIGTERM", "disconnect"]) process.once(event, () => stop.abort());

try {
  await run(stop.signal);
} catch (error) {
  const message = plainMessage(error);
  if (message === undefined) throw error;
  console.error(message);
  process.exitCode = isWrongSetting(error) ? WRONG_SETTING_EXIT_CODE : 1;
} finally {
  // An open channel to a parent process would keep this one alive.
  if (process.connected) process.disconnect();
}

async function run(signal: AbortSignal): Promise<void> {
  // The relayer's key is for the indexer, and never read here.
  const { RELAYER_KEY: _, ...environment } = process.env;
  const config = readConfig(environment, requiredSettings);
  const log = openLog("api", config.LOG_LEVEL, 8_192);
  const open = (application: string, max: number) =>
    openPool(config.DATABASE_URL, {
      application,
      max,
      prompt: true,
      onError: (error) => log.warn({ err: { message: error.message } }, "database connection lost"),
    });
  const pool = open("api", 10);
  // One connection of these waits for notifications.
  const monitorPool = open("api monitor", 3);
  // One connection of these waits for news of events.
  const deliveryPool = open("api deliveries", 6);
  try {
    const services = createDependencies(config, pool, log, createMonitor(monitorPool));
    const server = createHttpServer(createApp(services), {
      keepAlive: config.KEEP_ALIVE_TIMEOUT * 1000,
    });
    await listen(server, config.PORT, config.HOST);
    const failed = new AbortController();
    const ended = AbortSignal.any([signal, failed.signal]);
    const keysChanged = () => {
      services.keys.expire();
      services.streams.recheck();
    };
    const handlers = { api_keys: keysChanged, events: services.streams.wake };
    const watching = followNotifications(monitorPool, handlers, ended);
    const sweeping = sweepUp(monitorPool, log, ended, {
      auditDays: config.AUDIT_DAYS,
      eventDays: config.EVENT_DAYS,
    });
    const delivering = deliver(deliveryPool, log, ended, {
      workers: config.WEBHOOK_WORKERS,
      rules: services.webhookAddresses,
      observe: services.figures.observeAttempt,
    });
    try {
      log.info({ url: publicUrl(config), host: config.HOST, port: config.PORT }, "listening");
      const checked = checkStart(services, config, ended);
      await Promise.all([checked, signal.aborted ? undefined : once(signal, "abort")]);
    } finally {
      failed.abort();
      services.streams.close();
      await Promise.all([close(server), sweeping, watching, delivering]);
      services.chain.close();
    }
    log.info("stopped");
  } finally {
    await Promise.all([pool.end(), monitorPool.end(), deliveryPool.end()]);
  }
}

function isWrongSetting(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof WrongSettingError ||
    error instanceof DatabaseRefusedError
  );
}

/** The message of an error that an operator can fix; undefined for others. */
function plainMessage(error: unknown): string | undefined {
  if (isWrongSetting(error)) return error.message;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === "EADDRINUSE") {
    return `Port ${port} of ${address} is taken by another program. Stop it, or set PORT to a free one.`;
  }
  if (code === "EACCES")
    return `Port ${port} needs rights that this user does not have. Set PORT to another.`;
  if (code === "EADDRNOTAVAIL") return `HOST ${address} is no address of this machine.`;
  return undefined;
}
