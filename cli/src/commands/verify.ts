import type { Command } from "commander";
import { nodeUrl } from "../blocks/node.ts";
import { blockHashOf } from "../blocks/trusted.ts";
import { addressOf } from "../config/address.ts";
import { readSettings, type SettingOptions, withServiceOptions } from "../config/settings.ts";
import { standardInput } from "../files/hash.ts";
import type { Io } from "../io.ts";
import { printableJson } from "../output/printable.ts";
import { createStyle } from "../output/style.ts";
import { type ExitCode, exitCodes, misuse } from "../problem.ts";
import { verdictOfAll } from "../verify/check.ts";
import { inWords } from "../verify/report.ts";
import type { Subject } from "../verify/subject.ts";
import { type Question, verify } from "../verify/verify.ts";
import { assetIdOf, repeated } from "./arguments.ts";
import type { End } from "./end.ts";
import { type MethodsOption, methodsOption, usualMethods, warnOfWeak } from "./method-option.ts";
import { onlyMethod, writtenHash } from "./written-hash.ts";

type Options = SettingOptions &
  MethodsOption & {
    asset?: string;
    author?: string;
    link?: string[];
    hash?: string;
    file: boolean;
    blockHash?: string;
    blockFile?: string;
    json?: true;
  };

const examples = `
Examples:
  asset-registry verify contract.pdf proof.json --rpc https://node-a.example --rpc https://node-b.example
  asset-registry verify contract.pdf proof.json --block-hash 0x4f2c…
  asset-registry verify contract.pdf --service https://registry.example --rpc https://node-a.example
  asset-registry verify --hash sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0= proof.json --rpc …
  asset-registry verify contract.pdf --link 0x7b21… --rpc https://node-a.example

Without a proof, the service is asked which assets bear the file's hash, and for their proofs. It is believed
in nothing: the proof is checked here, against a block hash from nodes of your own choice, or your own.
Without one the block cannot be checked, and the exit code is 2. Anybody may register any file, so look at
the author. Exit codes: 0 valid, 1 invalid, 2 cannot check, which is no sign of a forgery, 3 wrong usage.`;

export function addVerify(program: Command, io: Io, end: End): void {
  const command = program
    .command("verify")
    .description("check that a file was registered, by whom and when, without trust in the service")
    .argument("[file]", "the file, or - for standard input")
    .argument("[proof]", "its proof; without one the service is asked")
    .option(
      "--rpc <url>",
      "node that tells the block's hash; may be repeated, and all must agree (ASSET_REGISTRY_RPC)",
      repeated(nodeUrl),
    )
    .option("--block-hash <hash>", "hash of the proof's block that you know", blockHashOf)
    .option("--block-file <file>", "file with that hash, or with the block in JSON")
    .option("--hash <hash>", "compare this hash instead of a file; the only argument is the proof then")
    .option("--no-file", "compare no file; the only argument is the proof then")
    .option(
      "--asset <id>",
      "the asset that it must be; without a proof the service is asked for that of this one",
      assetIdOf,
    )
    .option("--author <address>", "the author that it must be", addressOf)
    .option(
      "--link <id>",
      "tell of the link from the asset to this one; may be repeated",
      repeated(assetIdOf),
    )
    .option(
      "--registry <address>",
      "registry that you trust, where it is not that of this version (ASSET_REGISTRY_ADDRESS)",
      addressOf,
    )
    .addOption(methodsOption())
    .option("--json", "print JSON");
  withServiceOptions(command)
    .addHelpText("after", examples)
    .action(async (file: string | undefined, proof: string | undefined, options: Options) => {
      end(await answer(questionOf(file, proof, options), options, io));
    });
}

async function answer(question: Question, options: Options, io: Io): Promise<ExitCode> {
  const { subject } = question;
  warnOfWeak(subject !== undefined && "hash" in subject ? [subject.hash.method] : question.methods, io);
  const results = await verify(question, await readSettings(options, io), io);
  const verdict = verdictOfAll(results);
  if (options.json) io.stdout.write(`${printableJson({ verdict, results })}\n`);
  else io.stdout.write(results.map((told) => inWords(told, createStyle(io, io.stdout))).join("\n"));
  return { valid: exitCodes.done, invalid: exitCodes.no, "cannot check": exitCodes.unable }[verdict];
}

/** @throws Problem */
function questionOf(first: string | undefined, second: string | undefined, options: Options): Question {
  const { asset, author, link = [], method = usualMethods, blockHash, blockFile, rpc } = options;
  if ([blockHash, blockFile, rpc].filter((source) => source !== undefined).length > 1) {
    throw misuse("options-exclude", "--rpc, --block-hash and --block-file exclude each other.");
  }
  return {
    ...subjectOf(first, second, options),
    ...{ asset, author, children: link, methods: method },
    blocks: { ...(blockHash !== undefined && { blockHash }), ...(blockFile !== undefined && { blockFile }) },
  };
}

/** With a hash, or without a file, the first argument is the proof. @throws Problem */
function subjectOf(
  first: string | undefined,
  second: string | undefined,
  { hash, file, method = [] }: Options,
): { subject: Subject; proof: string | undefined } {
  if (hash !== undefined || !file) {
    if (second !== undefined) {
      throw misuse("too-many-arguments", "With --hash or --no-file the only argument is the proof.");
    }
    if (hash === undefined) return { subject: undefined, proof: first };
    if (!file) throw misuse("options-exclude", "--hash and --no-file exclude each other.");
    return { subject: { hash: writtenHash(onlyMethod(method), hash) }, proof: first };
  }
  if (first === undefined) throw misuse("file-missing", "Name a file, or give --hash or --no-file.");
  if (first === standardInput && second === standardInput) {
    throw misuse("standard-input-twice", "File and proof cannot both be standard input.");
  }
  return { subject: { file: first }, proof: second };
}
