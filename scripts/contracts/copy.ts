import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Files that the contracts and their tests need. */
const parts = [
  "artifacts",
  "contracts",
  "domain",
  "scripts",
  "test/contracts",
  "test/support",
  ".mocharc.json",
  "config.ts",
  "hardhat.config.ts",
  "package.json",
  "tsconfig.json",
];

/**
 * Runs something in a copy of the contracts and their tests: code that is compiled there in another way, to be
 * measured or broken, can never be taken for the registry.
 */
export async function inCopy<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "asset-registry-contracts-"));
  try {
    for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tests that look at the code itself, which is another one in a copy. */
const ofTheCode = ["gas.test.ts", "generated-abi.test.ts", "surface.test.ts"];

/** The test files, in a copy, of what the contract does. */
export async function behaviourTests(folder: string): Promise<string[]> {
  const files = await readdir(join(folder, "test", "contracts"));
  return files
    .filter((file) => file.endsWith(".test.ts") && !ofTheCode.includes(file))
    .map((file) => `test/contracts/${file}`);
}
