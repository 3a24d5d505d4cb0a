import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { publishedWorkspaces, workspaces } from "../../scripts/checks/workspaces.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (...names: string[]) => readFile(join(root, ...names), "utf8");

/** Packages that a workspace needs where it is installed. */
const packages: Record<string, string[]> = {
  proof: ["@ethereumjs/rlp", "@noble/hashes", "hash-wasm"],
  cli: ["asset-registry-client", "asset-registry-proof", "commander", "micro-eth-signer"],
};

for (const workspace of publishedWorkspaces) {
  describe(`the package of ${workspace}/`, () => {
    it("needs the packages that are said of it, at exact versions, and no other", async () => {
      const manifest = JSON.parse(await read(workspace, "package.json"));
      const kinds = Object.keys(manifest).filter((name) => /dependencies/i.test(name));
      const needed = packages[workspace] ?? [];
      expect(kinds).to.deep.equal(needed.length > 0 ? ["dependencies"] : []);
      expect(Object.keys(manifest.dependencies ?? {})).to.have.members(needed);
      for (const version of Object.values(manifest.dependencies ?? {}))
        expect(version).to.match(/^\d+\.\d+\.\d+$/);
    });

    it("shows its types to every way of resolving modules, the oldest too", async () => {
      const { exports, types, bin } = JSON.parse(await read(workspace, "package.json"));
      // TypeScript's `moduleResolution: node` does not read `exports`; a program has none.
      expect(types).to.equal(exports["."]?.types);
      expect(types === undefined).to.equal(bin !== undefined);
    });

    it("comes with the licence and the version of the service", async () => {
      expect(await read(workspace, "LICENSE")).to.equal(await read("LICENSE"));
      const [own, service] = [
        JSON.parse(await read(workspace, "package.json")),
        JSON.parse(await read("package.json")),
      ];
      expect({ version: own.version, license: own.license }).to.deep.equal({
        version: service.version,
        license: service.license,
      });
    });
  });
}

describe("package-lock.json", () => {
  it("names no host of a registry: its links lead to workspaces alone", async () => {
    const { packages } = JSON.parse(await read("package-lock.json")) as {
      packages: Record<string, { resolved?: string }>;
    };
    const resolved = Object.values(packages).flatMap((entry) => entry.resolved ?? []);
    expect(resolved).to.have.members([...workspaces]);
  });
});
