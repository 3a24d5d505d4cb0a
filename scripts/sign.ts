import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../config.ts";
import { endWithReader } from "./local/quiet-pipe.ts";
import { findService, SessionError } from "./session/service.ts";
import { sign, type ToSign } from "./session/wallet.ts";

const usage = `Usage: npm run sign -- <transactionId>

Shows what a generated transaction does, signs it with the author's key and hands it in. The key is
AUTHOR_KEY, or that of a funded account of the local chain.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  const [transactionId, ...rest] = positionals;
  if (values.help) return console.log(usage);
  if (transactionId === undefined || rest.length > 0) throw new SessionError(usage);
  const service = await findService(readConfig(process.env));
  const path = `/transactions/${encodeURIComponent(transactionId)}`;
  const wanted = await service.call<ToSign>("GET", path);
  console.log(wanted.summary);
  if (wanted.warning !== null && wanted.gas !== null) console.error(`Warning: ${wanted.warning}`);
  const signedTransaction = await sign(service, wanted);
  const done = await service.call<{ transactionHash: string; state: string }>("POST", `${path}/submit`, {
    signedTransaction,
  });
  console.log(`signed and handed in: transaction hash ${done.transactionHash}, state ${done.state}`);
}

endWithReader();
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  const expected = error instanceof SessionError || error instanceof ConfigError;
  if (!expected && process.env["LOG_LEVEL"] === "debug") console.error(error);
  process.exitCode = 1;
}
