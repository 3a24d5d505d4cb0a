import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { program } from "../../../scripts/checks/run-check.ts";
import { compiledRegistry } from "../../../scripts/contracts/compiled-registry.ts";
import { root } from "../../support/program.ts";

const run = promisify(execFile);

/** Compiles contracts/ in a folder of its own, which holds nothing of an earlier build. */
async function buildElsewhere(folder: string, ...options: string[]): Promise<string> {
  for (const name of ["contracts", "hardhat.config.ts", "package.json", "tsconfig.json"]) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  await run(process.execPath, [program("hardhat"), "--no-typechain", "build", "--quiet", ...options], {
    cwd: folder,
  });
  const artifact = join(folder, "artifacts", "contracts", "AssetRegistry.sol", "AssetRegistry.json");
  return JSON.parse(await readFile(artifact, "utf8")).bytecode;
}

describe("the registry's bytecode, built anew", () => {
  it("is the same from two builds in different folders", async () => {
    const folder = await mkdtemp(join(tmpdir(), "asset-registry build "));
    try {
      expect(await buildElsewhere(folder)).to.equal((await compiledRegistry()).bytecode);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is the same by the profile that Hardhat deploys and verifies with", async () => {
    const folder = await mkdtemp(join(tmpdir(), "asset-registry build "));
    try {
      const options = ["--no-tests", "--build-profile", "production"];
      expect(await buildElsewhere(folder, ...options)).to.equal((await compiledRegistry()).bytecode);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
