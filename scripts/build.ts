import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { abiFile, registryAbiSource } from "./generate-abi.ts";
import { hold } from "./local/exclusive.ts";

/** Compiles what has changed in contracts/ and test/contracts/, and writes what is made from it. */
export async function build(): Promise<void> {
  const lock = await hold(
    join(import.meta.dirname, "..", "node_modules", ".cache", "asset-registry", "build.lock"),
  );
  try {
    const { default: hardhat } = await import("hardhat");
    await hardhat.tasks.getTask("build").run({ quiet: true });
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
      "Usage: npm run build\n\nCompiles the contracts and writes their ABI and types. Nothing is done twice.",
    );
  } else {
    try {
      await build();
    } catch (error) {
      console.error(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  }
}
