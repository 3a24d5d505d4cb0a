import type { EventConnection, EventKind, RegistryClient, RegistryEvent } from "asset-registry-client";
import { type Command, InvalidArgumentError } from "commander";
import { readSettings, type SettingOptions, type Settings, withKeyOptions } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { eventLine } from "../output/event-line.ts";
import { printable, printableJson } from "../output/printable.ts";
import { type ExitCode, exitCodes, misuse } from "../problem.ts";
import { connectService } from "../service/connect.ts";
import { serviceProblem } from "../service/failure.ts";
import { assetIdOf } from "./arguments.ts";
import type { End } from "./end.ts";

type Options = SettingOptions & {
  follow?: true;
  new?: true;
  after?: number;
  kinds?: EventKind[];
  asset?: string;
  transaction?: string;
  json?: true;
};

const examples = `
Examples:
  asset-registry events
  asset-registry events --follow --new
  asset-registry events --follow --after 17 --kinds request,asset.rolled_back --json
  asset-registry events --transaction 5f0c… --follow

Each event comes once and in order. Its sequence is the first word of its line; store that of the last one to continue
with --after. Kinds are request, asset, link and wallet, or single ones such as request.Confirmed; without
--kinds those of requests and wallets are printed. An API key shows its tenant's requests and the chain, an identity
token its user's; the id of a transaction is a secret of its own, and needs neither.`;

export function addEvents(program: Command, io: Io, end: End): void {
  const command = program
    .command("events")
    .description("print events, and with --follow new ones as they happen")
    .option("--follow", "keep printing new events, until Ctrl-C")
    .option("--after <sequence>", "start after this event, instead of at the oldest that is kept", sequenceOf)
    .option("--new", "with --follow: only new events, none from before")
    .option("--kinds <kinds>", "only these kinds and groups of kinds, separated by commas", kindsOf)
    .option("--asset <id>", "only about this asset, and links to it")
    .option("--transaction <id>", "only about this transaction")
    .option("--token-file <file>", "read the identity token from this file")
    .option("--json", "print JSON, an event a line");
  withKeyOptions(command)
    .addHelpText("after", examples)
    .action(async (options: Options) => end(await events(options, io)));
}

async function events(options: Options, io: Io): Promise<ExitCode> {
  if (options.new && (!options.follow || options.after !== undefined)) {
    throw misuse("usage", "--new goes with --follow, and without --after.");
  }
  const settings = await readSettings(options, io);
  requireCredential(settings, options);
  const { client } = connectService(settings, io);
  let last = options.after;
  try {
    for await (const event of reader(client, options, io)) {
      const line = options.json ? printableJson(event, 0) : eventLine(event);
      io.stdout.write(`${line}\n`);
      last = event.sequence;
    }
  } catch (error) {
    if (!options.follow || !io.signal.aborted) throw error;
    if (last !== undefined) io.stderr.write(`Continue with --after ${last}.\n`);
  }
  return exitCodes.done;
}

function reader(client: RegistryClient, options: Options, io: Io): AsyncIterable<RegistryEvent> {
  const { follow, after, kinds, transaction } = options;
  const assetId = options.asset === undefined ? undefined : assetIdOf(options.asset);
  const query = { after, kinds, assetId, transactionId: transaction };
  const { signal } = io;
  if (!follow) return client.listEvents({ ...query, size: 200 }, { signal });
  return client.events({ ...query, replay: !options.new, signal, onConnection: tellOf(io) });
}

/** Tells what changes of the connection, but not that it stands at first. */
function tellOf(io: Io): (connection: EventConnection) => void {
  let isFirst = true;
  return (connection) => {
    if (!isFirst || connection.state !== "live") io.stderr.write(`${inWords(connection)}\n`);
    isFirst = false;
  };
}

function inWords(connection: EventConnection): string {
  if (connection.state === "live") return "The stream of events is back.";
  if (connection.state === "polling") {
    const why = printable(connection.reason);
    return `No stream of events comes through, so the service is polled: ${why}${why.endsWith(".") ? "" : "."}`;
  }
  const message = serviceProblem(connection.error)?.message ?? printable(connection.error.message);
  return `${message} It is asked again.`;
}

function requireCredential({ apiKey, token }: Settings, { transaction }: Options): void {
  if (apiKey !== undefined || token !== undefined || transaction !== undefined) return;
  const how =
    "ASSET_REGISTRY_API_KEY or ASSET_REGISTRY_TOKEN, the options that name their files, or in the configuration file";
  throw misuse(
    "credential-missing",
    `Events need an API key or an identity token: give one by ${how}; or name a --transaction.`,
  );
}

function sequenceOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be the sequence of an event, or 0.");
}

/** The kinds of a list; the service knows which there are. */
function kindsOf(text: string): EventKind[] {
  const kinds = text.split(",").map((kind) => kind.trim());
  if (kinds.every((kind) => /^[a-zA-Z_.]{1,60}$/.test(kind))) return kinds as EventKind[];
  throw new InvalidArgumentError("It must be kinds such as request or asset.final, separated by commas.");
}
