import { basename, extname } from "node:path";
import { type AssetText, type HashMethod, methodName } from "asset-registry-proof";
import { type Command, Option } from "commander";
import { addressOf } from "../config/address.ts";
import { readSettings, withKeyOptions } from "../config/settings.ts";
import { hashPath, standardInput } from "../files/hash.ts";
import { usualMethod } from "../files/usual-method.ts";
import type { Io } from "../io.ts";
import { printable, printableJson } from "../output/printable.ts";
import { exitCodes, misuse } from "../problem.ts";
import { connectService, requireApiKey } from "../service/connect.ts";
import { openSigner, type SigningOptions, withSigningOptions } from "../sign/signer.ts";
import type { End } from "./end.ts";
import { methodOf, warnOfWeak } from "./method-option.ts";
import { carryOut, type WaitOptions, withWaitOptions } from "./signed-change.ts";

type Options = SigningOptions &
  WaitOptions & {
    name?: string;
    data?: string;
    uri?: string;
    method: HashMethod;
    unsigned?: true;
    author?: string;
    idempotencyKey?: string;
  };

const examples = `
Examples:
  asset-registry register contract.pdf --keystore author.json
  asset-registry register contract.pdf --name "Lease agreement" --data "Flat 3" --wait Confirmed
  asset-registry register contract.pdf --keystore author.json --passphrase-file secret --chain 1 --yes
  asset-registry register contract.pdf --unsigned --author 0xf39F…

The file itself stays here: its name, size and hash are registered, for everybody to see and for ever. What is
signed is put together here from the file and the options, held against what the service asks for, shown and
confirmed. With --unsigned the author signs in a wallet: a link for them to sign at is printed.`;

export function addRegister(program: Command, io: Io, end: End): void {
  const command = program
    .command("register")
    .description("register a file under its author's signature")
    .argument("<file>", "the file")
    .option("--name <text>", "name of the asset (default: that of the file)")
    .option("--data <text>", "free text, such as a description")
    .option("--uri <text>", "where the file can be had")
    .addOption(
      new Option("-m, --method <name>", "hash method")
        .argParser(methodOf)
        .default(usualMethod, methodName(usualMethod)),
    )
    .option("--unsigned", "only ask for it: the author signs elsewhere; needs --author")
    .option("--author <address>", "author of an unsigned request", addressOf)
    .option("--idempotency-key <key>", "your own key of this registration, which is made once under it");
  withKeyOptions(withWaitOptions(withSigningOptions(command)))
    .addHelpText("after", examples)
    .action(async (file: string, options: Options) => {
      await register(file, options, io);
      end(exitCodes.done);
    });
}

async function register(file: string, options: Options, io: Io): Promise<void> {
  if (file === standardInput)
    throw misuse("file-missing", "Standard input has no name: name a file to register.");
  if ((options.author !== undefined) !== (options.unsigned === true)) {
    throw misuse(
      "options-exclude",
      "--unsigned and --author go together: otherwise the author is the keystore's.",
    );
  }
  const settings = await readSettings(options, io);
  const { client } = connectService(settings, io);
  requireApiKey(settings);
  const signer = options.unsigned ? undefined : await openSigner(options, settings, io);
  const texts = await textsOf(file, options, io);
  const author = signer?.key.address ?? options.author ?? "";
  const asset = await client.createAsset(
    { ...texts, author },
    { signal: io.signal, idempotencyKey: options.idempotencyKey },
  );
  if (signer !== undefined) {
    const change = { kind: "create", salt: asset.salt, texts } as const;
    return await carryOut(asset, change, { client, signer }, options, io);
  }
  const { id, transactionId, signUrl, state } = asset;
  if (options.json) io.stdout.write(`${printableJson({ id, transactionId, signUrl, state })}\n`);
  else {
    io.stdout.write(`${printable(id)}  ${printable(state)}, the author signs ${printable(transactionId)}\n`);
    if (signUrl !== undefined) io.stdout.write(`Send the author this link to sign: ${printable(signUrl)}\n`);
  }
}

/** The texts that are registered of a file. */
async function textsOf(file: string, options: Options, io: Io): Promise<Record<AssetText, string>> {
  const { method, data = "", uri = "" } = options;
  warnOfWeak([method], io);
  const { size, digests } = await hashPath(file, [method], io);
  const fileName = basename(file);
  return {
    name: options.name ?? fileName,
    data,
    fileName,
    fileType: extname(file).slice(1).toLowerCase(),
    fileSize: String(size),
    method: methodName(method),
    hash: digests.get(method) ?? "",
    uri,
  };
}
