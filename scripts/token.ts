import { parseArgs } from "node:util";

import { readConfig } from "../config.ts";
import { developerLogin } from "./local/developer-login.ts";
import { readReady } from "./session/service.ts";
import { endWithReader } from "./terminal/quiet-pipe.ts";

const usage = `Usage: npm run --silent token -- <user> [--issuer <URL>]

Prints an identity token for that user, and nothing else; it is good for an hour. It comes from the
identity provider that \`npm start\` runs for development, where any user name will do.

  curl -H "Authorization: Bearer $(npm run --silent token -- alice)" http://127.0.0.1:3000/wallets/

  --issuer <URL>   another such provider; default: OIDC_ISSUER, else that of the \`npm start\` that runs in DATA_DIR,
                   else 127.0.0.1 at OIDC_PORT`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { issuer: { type: "string" }, help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) return console.log(usage);
  const [user, ...rest] = positionals;
  if (user === undefined || rest.length > 0) throw new Error(usage);
  const config = readConfig(process.env);
  const running = config.OIDC_ISSUER?.[0] ?? readReady(config.DATA_DIR)?.issuer;
  const issuer = values.issuer ?? running ?? `http://127.0.0.1:${config.OIDC_PORT}`;
  if (!URL.canParse(issuer)) throw new Error(`--issuer must be a URL, such as http://127.0.0.1:3001`);
  console.log(await developerLogin(issuer, config.OIDC_AUDIENCE[0] ?? "", user));
}

endWithReader();
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
