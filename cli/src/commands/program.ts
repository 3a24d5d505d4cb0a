import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { Io } from "../io.ts";
import type { End } from "./end.ts";
import { addEvents } from "./events.ts";
import { addFind } from "./find.ts";
import { addHash } from "./hash.ts";
import { addLink, addRevoke } from "./link.ts";
import { addProof } from "./proof.ts";
import { addRegister } from "./register.ts";
import { addStatus } from "./status.ts";
import { addVerify } from "./verify.ts";
import { addWallets } from "./wallets.ts";

const { version, description } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string; description: string };

const about = `
Exit codes: 0 done or valid, 1 invalid or nothing found, 2 could not be checked or done, 3 wrong usage.
Settings come from options, else from the environment, else from the configuration file
($XDG_CONFIG_HOME/asset-registry/config.json). Each command shows its own with --help.`;

const ofVerifiers = [addVerify, addHash, addFind, addProof];
const ofAuthors = [addRegister, addLink, addRevoke, addStatus, addEvents, addWallets];

/** The program with all its commands; it throws CommanderError instead of ending the process. */
export function createProgram(io: Io, end: End): Command {
  const program = new Command("asset-registry")
    .description(description)
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", about)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError("Show how it is used with --help.")
    .exitOverride();
  for (const add of [...ofVerifiers, ...ofAuthors]) add(program, io, end);
  return program;
}
