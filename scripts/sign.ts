import { parseArgs } from "node:util";
import { type Hex, parseGwei } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { parseAddress } from "../domain/address.ts";
import { type Kind, kinds } from "./session/asked.ts";
import { openKeystore } from "./session/keystore.ts";
import { findService, inWords, isExpected, type Service, SessionError } from "./session/service.ts";
import { readToSign, sign } from "./session/wallet.ts";
import { watchInbox } from "./session/watch.ts";
import { endWithReader } from "./terminal/quiet-pipe.ts";
import { onStop } from "./terminal/stop-signals.ts";

const usage = `Usage: npm run sign -- <transactionId>     shows what a transaction does, signs it and hands it in
       npm run sign -- --watch             signs what waits for one address, until Ctrl-C

The key is AUTHOR_KEY, or that of --keystore; without --watch also that of a funded account of the local
chain. Whatever the service says, only a transaction whose bytes do what is shown is signed.

  --keystore <file>        key in a Web3 Secret Storage file (version 3); its password is KEYSTORE_PASSWORD,
  --password-file <file>   or the content of this file, or asked for

With --watch:

  --allow <kinds>          what is signed: create, link, revoke, separated by commas; default: all three
  --max-fee <gwei>         the most for a unit of gas; default: 200
  --max-per-hour <n>       the most signatures within an hour; default: no limit
  --registry <address>     the one registry and chain that it signs for; default: REGISTRY_ADDRESS, else what
  --chain <id>             the service serves when it begins
  --every <seconds>        between two looks; default: 5

It prints a line for all that it signs or leaves, and why. Exit code: 0 signed, or stopped by Ctrl-C; 1 failed.`;

const options = {
  help: { type: "boolean", short: "h" },
  watch: { type: "boolean" },
  keystore: { type: "string" },
  "password-file": { type: "string" },
  allow: { type: "string" },
  "max-fee": { type: "string" },
  "max-per-hour": { type: "string" },
  registry: { type: "string" },
  chain: { type: "string" },
  every: { type: "string" },
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const ofWatch = ["allow", "max-fee", "max-per-hour", "registry", "chain", "every"] as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return console.log(usage);
  const [transactionId, ...rest] = positionals;
  if (values.watch ? transactionId !== undefined : transactionId === undefined || rest.length > 0) {
    throw new SessionError(usage);
  }
  const config = readConfig(process.env);
  const key = await keyOf(values, config);
  if (values.watch) return await watch(values, config, key);
  const alone = ofWatch.find((name) => values[name] !== undefined);
  if (alone !== undefined) throw new SessionError(`--${alone} goes with --watch.`);
  await signOne(await serviceWith(key, config), transactionId ?? "");
}

/** The key of --keystore, else AUTHOR_KEY. */
async function keyOf({ keystore, ...values }: Options, config: Config): Promise<Hex | undefined> {
  if (keystore === undefined) return config.AUTHOR_KEY;
  const source = { file: values["password-file"], environment: config.KEYSTORE_PASSWORD };
  return await openKeystore(keystore, source);
}

async function serviceWith(key: Hex | undefined, config: Config): Promise<Service> {
  const service = await findService(config);
  if (key === undefined) return service;
  return { ...service, keys: new Map([...service.keys, [privateKeyToAddress(key).toLowerCase(), key]]) };
}

async function signOne(service: Service, transactionId: string): Promise<void> {
  const wanted = await readToSign(service, transactionId);
  console.log(wanted.summary);
  if (wanted.warning !== null && wanted.gas !== null) console.error(`Warning: ${wanted.warning}`);
  const signedTransaction = await sign(service, wanted);
  const done = await service.client.submit(transactionId, { signedTransaction });
  console.log(`signed and handed in: transaction hash ${done.transactionHash}, state ${done.state}`);
}

async function watch(values: Options, config: Config, key: Hex | undefined): Promise<void> {
  const watched = {
    registry: values.registry === undefined ? config.REGISTRY_ADDRESS : addressOf(values.registry),
    chainId: values.chain === undefined ? undefined : numberOf("chain", values.chain, 1),
    rules: {
      allow: new Set(kindsOf(values.allow ?? kinds.join())),
      maxFee: parseGwei(String(numberOf("max-fee", values["max-fee"] ?? "200", 0))),
      maxPerHour:
        values["max-per-hour"] === undefined
          ? Number.POSITIVE_INFINITY
          : numberOf("max-per-hour", values["max-per-hour"], 1),
    },
    interval: 1000 * numberOf("every", values.every ?? "5", 0.1),
    say: (line: string) => console.log(`${new Date().toISOString()}  ${line}`),
  };
  if (key === undefined) throw new SessionError("Set AUTHOR_KEY, or name a file by --keystore.");
  const service = await serviceWith(key, config);
  const stopped = new AbortController();
  onStop(
    () => stopped.abort(),
    () => process.exit(1),
  );
  await watchInbox(service, { ...watched, signer: privateKeyToAddress(key) }, stopped.signal);
}

function addressOf(text: string) {
  const address = parseAddress(text);
  if (typeof address === "string") return address;
  throw new SessionError(`--registry ${address.problem}.`);
}

function numberOf(name: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d+(\.\d{1,9})?$/.test(text) && number >= least) return number;
  throw new SessionError(`--${name} must be a number from ${least} on.`);
}

function kindsOf(text: string): Kind[] {
  const words = text.split(",");
  const wrong = words.find((word) => !kinds.some((kind) => kind === word));
  if (wrong === undefined) return words as Kind[];
  throw new SessionError(`--allow takes ${kinds.join(", ")}, not "${wrong}".`);
}

endWithReader();
try {
  await main();
} catch (error) {
  console.error(inWords(error));
  if (!isExpected(error) && !(error instanceof ConfigError) && process.env["LOG_LEVEL"] === "debug")
    console.error(error);
  process.exitCode = 1;
}
