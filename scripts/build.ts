import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { lock } from "./bootstrap/lock.mjs";
import { buildConsole } from "./console/build-console.ts";
import { abiFile, registryAbiSource } from "./contracts/generate-abi.ts";
import { codeFile, registryCodeSource } from "./contracts/generate-code.ts";

/** Compiles what has changed in contracts/, and in test/contracts/ unless disabled, and writes the generated files. */
export async function build({ noTests = false } = {}): Promise<void> {
  const held = await lock(
    join(import.meta.dirname, "..", "node_modules", ".cache", "asset-registry", "build.lock"),
  );
  try {
    const { default: hardhat } = await import("hardhat");
    await hardhat.tasks.getTask("build").run({ quiet: true, noTests });
    await Promise.all([
      write(abiFile, await registryAbiSource()),
      write(codeFile, await registryCodeSource()),
    ]);
  } finally {
    held.release();
  }
}

/** Leaves a file alone that is right already: nobody who watches it is woken. */
async function write(file: URL, source: string): Promise<void> {
  const current = await readFile(file, "utf8").catch(() => "");
  if (source !== current) await writeFile(file, source);
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes("--help")) {
    console.log(
      "Usage: npm run build [-- --no-tests] [--no-console]\n\nCompiles the contracts and those of their tests, writes ABI, code hashes and types, and builds the web console.\nNothing is done twice.",
    );
  } else {
    try {
      await Promise.all([
        build({ noTests: process.argv.includes("--no-tests") }),
        process.argv.includes("--no-console") ? undefined : buildConsole(),
      ]);
    } catch (error) {
      console.error(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  }
}
