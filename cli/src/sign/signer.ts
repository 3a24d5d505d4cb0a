import { registryAddress } from "asset-registry-proof";
import { type Command, InvalidArgumentError, Option } from "commander";
import { nodeUrl } from "../blocks/node.ts";
import type { SettingOptions, Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { misuse } from "../problem.ts";
import type { Key } from "./keystore.ts";
import { readPassphrase } from "./passphrase.ts";

/** Options of every command that signs. */
export type SigningOptions = SettingOptions & { passphraseFd?: number; maxFee: bigint; yes?: true };

/** The key and the limits within which it signs. */
export type Signer = {
  key: Key;
  registry: string;
  /** Chain that it must be; undefined: the one that the person is shown. */
  chain: number | undefined;
  /** The most for a unit of gas, in wei. */
  mostWei: bigint;
  /** Whether nobody is asked. */
  yes: boolean;
  /** URLs of nodes against which the nonce is held. */
  rpc: readonly string[];
};

const gwei = 1_000_000_000n;

/** Adds the options of every command that signs. */
export function withSigningOptions(command: Command): Command {
  return command
    .option(
      "--keystore <file>",
      "encrypted key of the author, a keystore of version 3 (ASSET_REGISTRY_KEYSTORE)",
    )
    .option(
      "--passphrase-file <file>",
      "file with its passphrase, else it is asked for (ASSET_REGISTRY_PASSPHRASE_FILE)",
    )
    .option("--passphrase-fd <number>", "file descriptor to read its passphrase from", descriptorOf)
    .option("--chain <id>", "chain that it must be signed for (ASSET_REGISTRY_CHAIN)", chainOf)
    .option("--registry <address>", "registry, where it is not that of this version (ASSET_REGISTRY_ADDRESS)")
    .option(
      "--rpc <url>",
      "node that must agree to the nonce that is signed; may be repeated (ASSET_REGISTRY_RPC)",
      (url: string, before: string[] | undefined) => [...(before ?? []), nodeUrl(url)],
    )
    .addOption(
      new Option("--max-fee <gwei>", "the most for a unit of gas")
        .argParser(weiOf)
        .default(200n * gwei, "200"),
    )
    .option("-y, --yes", "sign without asking; needs --chain");
}

/** Opens the key. @throws Problem */
export async function openSigner(options: SigningOptions, settings: Settings, io: Io): Promise<Signer> {
  const { keystore, passphraseFile, chain, registry = registryAddress } = settings;
  const yes = options.yes === true;
  const rpc = (settings.rpc ?? []).map(nodeUrl);
  if (keystore === undefined) throw misuse("keystore-missing", "Name the author's keystore by --keystore.");
  if (yes && chain === undefined) {
    throw misuse("chain-missing", "Nobody looks at what is signed: with --yes name the chain by --chain.");
  }
  if (!yes && io.ask === undefined) {
    throw misuse(
      "nobody-to-ask",
      "Nobody is at the terminal to confirm what is signed: --yes signs without asking.",
    );
  }
  const source = { file: passphraseFile, descriptor: options.passphraseFd };
  // What signs takes a while to load, and most commands sign nothing.
  const { openKeystore } = await import("./keystore.ts");
  const key = await openKeystore(keystore, () => readPassphrase(keystore, source, io), io);
  return { key, registry, chain, mostWei: options.maxFee, yes, rpc };
}

function descriptorOf(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be the number of a file descriptor.");
}

function chainOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be the number of a chain.");
}

function weiOf(text: string): bigint {
  const [, whole, fraction = ""] = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new InvalidArgumentError("It must be a number of gwei.");
  return BigInt(whole) * gwei + BigInt(fraction.padEnd(9, "0"));
}
