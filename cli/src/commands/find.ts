import type { PublicAsset } from "asset-registry-client";
import { methodName } from "asset-registry-proof";
import type { Command } from "commander";
import { readSettings, type SettingOptions, withServiceOptions } from "../config/settings.ts";
import { hashPath } from "../files/hash.ts";
import type { Io } from "../io.ts";
import { allPrintable, printable, printableJson } from "../output/printable.ts";
import { type ExitCode, exitCodes, misuse } from "../problem.ts";
import { connectService } from "../service/connect.ts";
import { findAssets } from "../service/find.ts";
import { hintOf } from "../service/other-bytes.ts";
import type { End } from "./end.ts";
import { type MethodsOption, methodsOption, usualMethods, warnOfWeak } from "./method-option.ts";
import { assumedHint, onlyMethod, writtenHash } from "./written-hash.ts";

type Options = SettingOptions & MethodsOption & { hash?: string; json?: true };

const examples = `
Examples:
  asset-registry find --service https://registry.example contract.pdf
  asset-registry find --method all contract.pdf
  asset-registry find --hash sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=

Only the hash of the file is sent. The answer is what the service says: "asset-registry verify" checks it.
Anybody may register any hash, so look at the author. The oldest registration stands first.`;

export function addFind(program: Command, io: Io, end: End): void {
  withServiceOptions(
    program
      .command("find")
      .description("ask the service which assets bear the hash of a file; needs no account")
      .argument("[file]", "file, or - for standard input"),
  )
    .option("--hash <hash>", "look for this hash instead of a file's, in any notation that hash --is takes")
    .addOption(methodsOption())
    .option("--json", "print JSON")
    .addHelpText("after", examples)
    .action(async (file: string | undefined, options: Options) => {
      if ((file === undefined) === (options.hash === undefined))
        throw misuse("file-missing", "Name a file, or give --hash instead.");
      end(file === undefined ? await findHash(options, io) : await findFile(file, options, io));
    });
}

async function findFile(file: string, options: Options, io: Io): Promise<ExitCode> {
  const { client } = connectService(await readSettings(options, io), io);
  const methods = options.method ?? usualMethods;
  warnOfWeak(methods, io);
  const { size, digests } = await hashPath(file, methods, io);
  const assets = await findAssets(client, digests, io.signal);
  const hint = assets.length > 0 ? undefined : await hintOf(client, file, methods, io);
  return show({ file, size, assets, hint }, `the hash of ${printable(file)}`, options, io);
}

async function findHash({ hash = "", ...options }: Options, io: Io): Promise<ExitCode> {
  const { method, digits, assumed } = writtenHash(onlyMethod(options.method), hash);
  const { client } = connectService(await readSettings(options, io), io);
  warnOfWeak([method], io);
  const assets = await findAssets(client, new Map([[method, digits]]), io.signal);
  const name = methodName(method);
  const hint = assumed && assets.length === 0 ? assumedHint(method) : undefined;
  return show({ method: name, hash: digits, assets, hint }, `this ${name} hash`, options, io);
}

/** Tells what was found for a file or a hash. */
function show(
  { assets, hint, ...asked }: { assets: PublicAsset[]; hint: string | undefined } & Record<string, unknown>,
  what: string,
  { json }: Options,
  io: Io,
): ExitCode {
  if (json) io.stdout.write(`${printableJson({ ...asked, assets, ...(hint && { hint }) })}\n`);
  else if (assets.length > 0) io.stdout.write(assets.map(inWords).join("\n"));
  else io.stdout.write(`No asset bears ${what}. ${hint ?? ""}`.trimEnd().concat("\n"));
  return assets.length > 0 ? exitCodes.done : exitCodes.no;
}

function inWords(asset: PublicAsset): string {
  const { id, name, author, createdOn, chainId, registry, blockNumber, final } = allPrintable(asset);
  const block = `block ${blockNumber}${final ? "" : ", which is not final yet"}`;
  return [
    `${id}  ${name}`,
    `  by ${author} on ${createdOn}`,
    `  chain ${chainId}, registry ${registry}, ${block}`,
    "",
  ].join("\n");
}
