import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { abiFile, registryAbiSource } from "./generate-abi.ts";
import { hold } from "./local/exclusive.ts";

/** Compiles what has changed in contracts/, and in test/contracts/ unless told not to, and writes what is made from it. */
export async function build({ noTests = false } = {}): Promise<void> {
  const lock = await hold(
    join(import.meta.dirname, "..", "node_modules", ".cache", "asset-registry", "build.lock"),
  );
  try {
    const { default: hardhat } = await import("hardhat");
    await hardhat.tasks.getTask("build").run({ quiet: true, noTests });
    const source = await registryAbiSource();
    const current = await readFile(abiFile, "utf8").catch(() => "");
    if (source !== current) await writeFile(abiFile, source);
  } finally {
    lock.release();
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes("--help")) {
    console.log(
      "Usage: npm run build [-- --no-tests]\n\nCompiles the contracts and those of their tests, and writes ABI and types. Nothing is done twice.",
    );
  } else {
    try {
      await build({ noTests: process.argv.includes("--no-tests") });
    } catch (error) {
      console.error(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  }
}
