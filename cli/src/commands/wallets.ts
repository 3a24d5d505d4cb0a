import type { RegistryClient, Wallet } from "asset-registry-client";
import { type Command, InvalidArgumentError } from "commander";
import { readSettings, type SettingOptions, type Settings, withServiceOptions } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { allPrintable, printableJson } from "../output/printable.ts";
import { exitCodes, misuse } from "../problem.ts";
import { connectService } from "../service/connect.ts";
import { openSigner, type SigningOptions, withSigningOptions } from "../sign/signer.ts";
import type { End } from "./end.ts";

type Options = SettingOptions & { json?: true };
type ConnectOptions = SigningOptions & {
  name?: string;
  description?: string;
  connectTo?: string;
  json?: true;
};

const examples = `
Examples:
  asset-registry wallets
  asset-registry wallets connect --keystore author.json --name "Office"
  asset-registry wallets remove 0b6f…

Wallets belong to a user of the service, who is known by an identity token: it is in ASSET_REGISTRY_TOKEN, in
the configuration file, or in the file of --token-file.`;

export function addWallets(program: Command, io: Io, end: End): void {
  const wallets = program
    .command("wallets")
    .description("list, connect and remove the wallets of a user")
    .addHelpText("after", examples);
  withTokenOptions(
    wallets.command("list", { isDefault: true }).description("list the user's wallets"),
  ).action(async (options: Options) => {
    const found = await connect(await readSettings(options, io), io).wallets({ signal: io.signal });
    io.stdout.write(options.json ? `${printableJson(found)}\n` : found.map(inWords).join(""));
    end(exitCodes.done);
  });
  const connecting = wallets
    .command("connect")
    .description("connect the address of a keystore to the user, by its signature")
    .option("--name <text>", "name of the wallet")
    .option("--description <text>", "description of the wallet")
    .option("--connect-to <url>", "the service's public URL, where it is not that of --service", serviceUrl);
  withTokenOptions(withSigningOptions(connecting)).action(async (options: ConnectOptions) => {
    const wallet = await connectWallet(options, io);
    io.stdout.write(options.json ? `${printableJson(wallet)}\n` : inWords(wallet));
    end(exitCodes.done);
  });
  const removing = wallets
    .command("remove")
    .description("remove a wallet")
    .argument("<id>", "id of the wallet");
  withTokenOptions(removing).action(async (id: string, options: Options) => {
    await connect(await readSettings(options, io), io).removeWallet(id, { signal: io.signal });
    if (options.json) io.stdout.write(`${printableJson({ id, removed: true })}\n`);
    end(exitCodes.done);
  });
}

function withTokenOptions(command: Command): Command {
  return withServiceOptions(command)
    .option("--token-file <file>", "file with the user's identity token")
    .option("--json", "print JSON");
}

/** @throws Problem where no identity token is configured */
function connect(settings: Settings, io: Io): RegistryClient {
  if (settings.token !== undefined) return connectService(settings, io).client;
  const how = "ASSET_REGISTRY_TOKEN, --token-file or token in the configuration file";
  throw misuse("token-missing", `Wallets belong to a user: give an identity token by ${how}.`);
}

async function connectWallet(
  { name, description, connectTo, ...options }: ConnectOptions,
  io: Io,
): Promise<Wallet> {
  const settings = await readSettings(options, io);
  const client = connect(settings, io);
  const signer = await openSigner(options, settings, io);
  const { signConnection } = await import("../sign/wallet-connection.ts");
  const { id, serializedValue } = await client.startWallet({ name, description }, { signal: io.signal });
  const signature = await signConnection(serializedValue, connectTo ?? settings.url ?? "", signer, io);
  const ethereumAddress = signer.key.address;
  return await client.confirmWallet(id, { ethereumAddress, signature }, { signal: io.signal });
}

function inWords(wallet: Wallet): string {
  const { id, ethereumAddress, name } = allPrintable(wallet);
  return `${id}  ${ethereumAddress}  ${name}\n`;
}

/** Checks the form of a service's URL on the command line. @throws InvalidArgumentError */
function serviceUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must begin with http:// or https://.");
}
