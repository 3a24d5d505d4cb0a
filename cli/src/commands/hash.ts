import { type HashedFile, type HashMethod, methodName } from "asset-registry-proof";
import type { Command } from "commander";
import { hashPath } from "../files/hash.ts";
import type { Io } from "../io.ts";
import { printable, printableJson } from "../output/printable.ts";
import { type ExitCode, exitCodes, misuse, Problem } from "../problem.ts";
import type { End } from "./end.ts";
import { type MethodsOption, methodsOption, usualMethods, warnOfWeak } from "./method-option.ts";
import { assumedHint, onlyMethod, writtenHash } from "./written-hash.ts";

type Options = MethodsOption & { is?: string; json?: true };

const examples = `
Examples:
  asset-registry hash contract.pdf
  asset-registry hash -m SHA3-256 -m BLAKE3 contract.pdf
  asset-registry hash --is sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0= contract.pdf
  curl -s https://example.org/contract.pdf | asset-registry hash -

The bytes of the file are hashed as they are: other line ends or a byte order mark make another hash.
With --is the exit code says whether the file has that hash: in hex with or without 0x, Base64, Base64url,
as sha256-…, as a multihash, or as sha256sum, OpenSSL, certutil or Get-FileHash print it. The method is the
hash's own, or that of --method, else SHA2-256.`;

export function addHash(program: Command, io: Io, end: End): void {
  program
    .command("hash")
    .description("compute the hash of files, as it is registered")
    .argument("<file...>", "files, or - for standard input")
    .addOption(methodsOption())
    .option("--is <hash>", "compare the one file with this hash")
    .option("--json", "print JSON")
    .addHelpText("after", examples)
    .action(async (files: string[], options: Options) => end(await hash(files, options, io)));
}

async function hash(files: string[], options: Options, io: Io): Promise<ExitCode> {
  if (options.is !== undefined) return await compare(files, { ...options, is: options.is }, io);
  const methods = options.method ?? usualMethods;
  warnOfWeak(methods, io);
  const hashed: object[] = [];
  let exitCode: ExitCode = exitCodes.done;
  for (const file of files) {
    try {
      const result = await hashPath(file, methods, io);
      hashed.push(inJson(file, result));
      if (!options.json) io.stdout.write(lines(file, methods, result));
    } catch (error) {
      // The other files may still be read.
      if (!(error instanceof Problem) || files.length === 1) throw error;
      const { code, message } = error;
      io.stderr.write(`${message}\n`);
      hashed.push({ file, error: { code, message } });
      exitCode = error.exitCode;
    }
  }
  if (options.json) io.stdout.write(`${printableJson(hashed)}\n`);
  return exitCode;
}

function inJson(file: string, { size, digests }: HashedFile) {
  return {
    file,
    size,
    hashes: Object.fromEntries([...digests].map(([method, hex]) => [methodName(method), hex])),
  };
}

/** One method in the form of `sha256sum`, several in that of `sha256sum --tag`. */
function lines(file: string, methods: readonly HashMethod[], { digests }: HashedFile): string {
  const name = printable(file);
  return methods
    .map((method) =>
      methods.length === 1
        ? `${digests.get(method)}  ${name}\n`
        : `${methodName(method)} (${name}) = ${digests.get(method)}\n`,
    )
    .join("");
}

async function compare(
  [file = "", ...more]: string[],
  options: Options & { is: string },
  io: Io,
): Promise<ExitCode> {
  if (more.length > 0) throw misuse("too-many-arguments", "--is compares one file.");
  const { method, digits, assumed } = writtenHash(onlyMethod(options.method), options.is);
  warnOfWeak([method], io);
  const { size, digests } = await hashPath(file, [method], io);
  const matches = digests.get(method) === digits;
  const name = methodName(method);
  if (options.json) io.stdout.write(`${printableJson({ file, size, method: name, matches })}\n`);
  else io.stdout.write(`${printable(file)} ${matches ? "has" : "does not have"} this ${name} hash.\n`);
  if (!matches && assumed) io.stderr.write(`${assumedHint(method)}\n`);
  return matches ? exitCodes.done : exitCodes.no;
}
