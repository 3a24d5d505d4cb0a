import { openLog } from "../config/log.ts";
import { ConfigError, readConfig, WRONG_SETTING_EXIT_CODE } from "../config.ts";
import { DatabaseRefusedError } from "../db/core/connection-problem.ts";
import { isFatal } from "./fatal-error.ts";
import { PortTakenError } from "./monitoring/port.ts";
import { runIndexer } from "./run.ts";

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
  const config = readConfig(process.env, ["DATABASE_URL", "RPC_URL", "REGISTRY_ADDRESS"]);
  await runIndexer(config, openLog("indexer", config.LOG_LEVEL), stop.signal);
} catch (error) {
  const isWrongSetting =
    error instanceof ConfigError || isFatal(error) || error instanceof DatabaseRefusedError;
  if (!isWrongSetting && !(error instanceof PortTakenError)) throw error;
  console.error(error.message);
  process.exitCode = isWrongSetting ? WRONG_SETTING_EXIT_CODE : 1;
} finally {
  // An open channel to a parent process would keep this one alive.
  if (process.connected) process.disconnect();
}
