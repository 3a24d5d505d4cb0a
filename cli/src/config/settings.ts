import type { Command } from "commander";
import { readBounded } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";
import { addressOf } from "./address.ts";
import { type FileSettings, readSettingsFile } from "./file.ts";

/** Most bytes of a file that holds a secret. */
const mostSecretBytes = 64 * 1024;

/** Options by which a command's settings are given; each command takes some of them. */
export type SettingOptions = {
  config?: string;
  service?: string;
  apiKeyFile?: string;
  tokenFile?: string;
  rpc?: string[];
  registry?: string;
  chain?: number;
  keystore?: string;
  passphraseFile?: string;
};

/** Everything that may be configured: an option goes over the environment, and that over the file. */
export type Settings = FileSettings;

/** Reads the settings of a command. @throws Problem */
export async function readSettings(options: SettingOptions, io: Io): Promise<Settings> {
  const { env } = io;
  const file = await readSettingsFile(options.config ?? set(env["ASSET_REGISTRY_CONFIG"]), io);
  const rpc =
    options.rpc ??
    set(env["ASSET_REGISTRY_RPC"])
      ?.split(/\s+/)
      .filter((url) => url !== "");
  const chain = options.chain ?? numberOf(set(env["ASSET_REGISTRY_CHAIN"]));
  const registry = options.registry ?? set(env["ASSET_REGISTRY_ADDRESS"]) ?? file.registry;
  return withoutMissing({
    url: options.service ?? set(env["ASSET_REGISTRY_URL"]) ?? file.url,
    apiKey: (await secretOf(options.apiKeyFile, io)) ?? set(env["ASSET_REGISTRY_API_KEY"]) ?? file.apiKey,
    token: (await secretOf(options.tokenFile, io)) ?? set(env["ASSET_REGISTRY_TOKEN"]) ?? file.token,
    rpc: rpc ?? file.rpc,
    registry: registry === undefined ? undefined : addressOf(registry),
    chain: chain ?? file.chain,
    keystore: options.keystore ?? set(env["ASSET_REGISTRY_KEYSTORE"]) ?? file.keystore,
    passphraseFile:
      options.passphraseFile ?? set(env["ASSET_REGISTRY_PASSPHRASE_FILE"]) ?? file.passphraseFile,
  });
}

/** An empty variable counts as none. */
const set = (value: string | undefined) => (value === "" ? undefined : value);

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number > 0) return number;
  throw misuse("environment-invalid", `ASSET_REGISTRY_CHAIN must be a whole number, not ${printable(text)}.`);
}

async function secretOf(path: string | undefined, io: Io): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = (await readBounded(path, mostSecretBytes, io)).toString("utf8").trim();
  if (text !== "") return text;
  throw misuse("secret-empty", `${printable(path)} is empty.`);
}

function withoutMissing(settings: { [name in keyof Settings]: Settings[name] | undefined }): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Adds the options of every command that asks the service. */
export function withServiceOptions(command: Command): Command {
  return command
    .option("--service <url>", "the service's URL (environment: ASSET_REGISTRY_URL)")
    .option("--config <file>", "configuration file (ASSET_REGISTRY_CONFIG)");
}

/** Adds the options of every command that the service does for its customers alone. */
export function withKeyOptions(command: Command): Command {
  return withServiceOptions(command).option(
    "--api-key-file <file>",
    "file with the API key, which is in ASSET_REGISTRY_API_KEY or the configuration otherwise",
  );
}
