import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../config.ts";
import { runDemo } from "./session/demo.ts";
import { DocumentError } from "./session/document.ts";
import { findService, inWords, isExpected, SessionError } from "./session/service.ts";
import { endWithReader } from "./terminal/quiet-pipe.ts";

const usage = `Usage: npm run demo -- [<file>]

Walks one real file through the running service, by its public REST API and an author's key: registers it,
signs, follows it to Confirmed, links a second asset, revokes the link, and shows that a changed copy of
the file does not match. Then it looks behind the service: it computes the asset's id anew from what was
answered, and reads it from the chain. The file itself stays here. Default: docs/sample.pdf`;

endWithReader();
try {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) console.log(usage);
  else {
    const [file = "docs/sample.pdf", ...rest] = positionals;
    if (rest.length > 0) throw new SessionError(usage);
    await runDemo(await findService(readConfig(process.env)), file);
  }
} catch (error) {
  console.error(inWords(error));
  const expected = isExpected(error) || [ConfigError, DocumentError].some((kind) => error instanceof kind);
  if (!expected && process.env["LOG_LEVEL"] === "debug") console.error(error);
  process.exitCode = 1;
}
