import { rename, rm, writeFile } from "node:fs/promises";
import { readProof, verifyDocument } from "asset-registry-proof";
import type { Command } from "commander";
import { readSettings, type SettingOptions, withServiceOptions } from "../config/settings.ts";
import { fileProblem } from "../files/file-problem.ts";
import type { Io } from "../io.ts";
import { printable, printableJson } from "../output/printable.ts";
import { type ExitCode, exitCodes, Problem } from "../problem.ts";
import { connectService } from "../service/connect.ts";
import { assetIdOf, repeated } from "./arguments.ts";
import type { End } from "./end.ts";

type Options = SettingOptions & { link?: string[]; output?: string };

const examples = `
Examples:
  asset-registry proof 0x604d… --output proof.json
  asset-registry proof 0x604d… --link 0x7b21… > proof.json

The proof is checked for itself before it is written; "asset-registry verify" checks it with the file and a
block hash of your own, now or in years, without the service.`;

export function addProof(program: Command, io: Io, end: End): void {
  withServiceOptions(
    program
      .command("proof")
      .description("get the proof of an asset from the service; needs no account")
      .argument("<asset>", "id of the asset", assetIdOf)
      .option(
        "--link <id>",
        "prove the link from the asset to this one, too; may be repeated",
        repeated(assetIdOf),
      )
      .option("-o, --output <file>", "write it to this file instead of standard output"),
  )
    .addHelpText("after", examples)
    .action(async (asset: string, options: Options) => end(await proof(asset, options, io)));
}

async function proof(asset: string, { link = [], output, ...options }: Options, io: Io): Promise<ExitCode> {
  const { client } = connectService(await readSettings(options, io), io);
  const document = await client.publicProof(asset, link, { signal: io.signal });
  const text = `${printableJson(document ?? null)}\n`;
  const { verdict, words, checks } = verifyDocument(text, { children: link });
  // Without a block hash of the verifier's own nothing can be more than not invalid.
  if (verdict === "invalid" || checks.some(({ code }) => code === "unreadable-document"))
    throw new Problem("proof-invalid", `The service gave a bad proof. ${printable(words)}`, exitCodes.no);
  const { id } = readProof(text).asset;
  if (id !== asset)
    throw new Problem("proof-invalid", `The service gave the proof of another asset, ${id}.`, exitCodes.no);
  if (output === undefined) io.stdout.write(text);
  else await write(output, text);
  return exitCodes.done;
}

/** Writes a file whole or not at all. */
async function write(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.part`;
  try {
    await writeFile(partial, text, { flag: "wx" });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw fileProblem(path, error, "written");
  }
}
