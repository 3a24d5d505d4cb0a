import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { folderProblems } from "../../scripts/checks/folders.ts";
import { program } from "../../scripts/checks/run-check.ts";

const root = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);

/** Each guard of `npm run check`, proved by a file that it must refuse and one that it must accept. */
describe("npm run check", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-guards-"));
    const biome = JSON.parse(await readFile(join(root, "biome.json"), "utf8"));
    await put("biome.json", JSON.stringify({ ...biome, vcs: { enabled: false } }));
    for (const file of [".prettierrc.json", ".solhint.json", "tsconfig.json", "package.json"]) {
      await cp(join(root, file), join(folder, file));
    }
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  /** What a tool says about the files in the folder; empty where it has nothing against them. */
  async function complaint(tool: string, name: string, args: string[]): Promise<string> {
    try {
      await run(process.execPath, [program(tool, name), ...args], { cwd: folder });
      return "";
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return `${stdout}${stderr}`;
    }
  }

  const lint = () => complaint("@biomejs/biome", "biome", ["lint", "--reporter=github", "."]);

  describe("imports of packages", () => {
    const refused: [string, string][] = [
      ["domain/a.ts", "node:fs"],
      ["domain/a.ts", "viem/accounts"],
      ["domain/asset/a.ts", "pg"],
      ["db/core/a.ts", "express"],
      ["rpc/a.ts", "pg"],
      ["indexer/a.ts", "express"],
      ["indexer/sync/a.ts", "pg"],
      ["indexer/a.ts", "ethers"],
      ["api/a.ts", "pg"],
      ["api/assets/a.ts", "hardhat"],
      ["client/src/a.ts", "node:crypto"],
      ["client/src/a.ts", "zod"],
      ["client/src/events/a.ts", "eventsource-parser"],
      ["client/src/a.ts", "asset-registry-client"],
      ["proof/src/a.ts", "node:crypto"],
      ["cli/src/a.ts", "viem"],
      ["cli/src/sign/a.ts", "@noble/hashes/sha3.js"],
      ["proof/src/trie/a.ts", "viem"],
      ["web/src/a.tsx", "node:crypto"],
      ["web/src/pages/a.tsx", "ethers"],
      ["web/src/shell/a.tsx", "wagmi"],
      ["web/src/parts/a.tsx", "viem"],
    ];
    for (const [file, target] of refused) {
      it(`${file} may not import ${target}`, async () => {
        await put(file, `import { thing } from "${target}";\n\nexport const kept = thing;\n`);
        expect(await lint()).to.contain("noRestrictedImports");
      });
    }

    const accepted: [string, string][] = [
      ["domain/a.ts", "viem"],
      ["domain/asset/a.ts", "hash-wasm"],
      ["db/core/a.ts", "pg"],
      ["api/assets/a.ts", "zod"],
      ["client/src/a.ts", "./retry.ts"],
      ["client/src/a.ts", "./types/asset.ts"],
      ["client/src/events/a.ts", "../types/event.ts"],
      ["proof/src/trie/a.ts", "@ethereumjs/rlp"],
      ["proof/src/trie/a.ts", "@noble/hashes/sha3.js"],
      ["proof/src/file-hash/a.ts", "hash-wasm"],
      ["cli/src/a.ts", "node:fs/promises"],
      ["cli/src/commands/a.ts", "asset-registry-proof"],
      ["cli/src/sign/a.ts", "micro-eth-signer/keystore.js"],
      ["proof/src/trie/a.ts", "../document/format.ts"],
      ["web/src/a.tsx", "asset-registry-client"],
      ["web/src/wallet/a.ts", "wagmi"],
    ];
    for (const [file, target] of accepted) {
      it(`${file} may import ${target}`, async () => {
        await put(file, `import { thing } from "${target}";\n\nexport const kept = thing;\n`);
        expect(await lint()).to.equal("");
      });
    }
  });

  describe("imports between folders", () => {
    const imports = (...targets: string[]) => targets.map((target) => `import "${target}";\n`).join("");

    const refused: [string, string][] = [
      ["domain/a.ts", "../config.ts"],
      ["domain/asset/a.ts", "../../db/core/pool.ts"],
      ["db/core/a.ts", "../chain/blocks.ts"],
      ["db/core/a.ts", "../../rpc/node.ts"],
      ["db/chain/a.ts", "../reads/assets.ts"],
      ["db/service/a.ts", "../reads/assets.ts"],
      ["db/service/a.ts", "../../api/app.ts"],
      ["db/reads/a.ts", "../../config.ts"],
      ["rpc/a.ts", "../indexer/run.ts"],
      ["rpc/logs/a.ts", "../../api/app.ts"],
      ["rpc/a.ts", "../db/core/pool.ts"],
      ["indexer/sync/a.ts", "../../api/app.ts"],
      ["indexer/a.ts", "../scripts/start.ts"],
      ["api/a.ts", "../indexer/run.ts"],
      ["api/assets/a.ts", "../../db/chain/assets.ts"],
      ["api/a.ts", "../scripts/start.ts"],
      ["config/a.ts", "../db/core/pool.ts"],
      ["client/src/a.ts", "../../domain/errors.ts"],
      ["client/src/types/a.ts", "../../../api/assets/schema.ts"],
      ["client/src/events/a.ts", "../../../domain/events/kinds.ts"],
      ["api/a.ts", "../client/src/client.ts"],
      ["proof/src/a.ts", "../../domain/keccak.ts"],
      ["cli/src/commands/a.ts", "../../../proof/src/proof.ts"],
      ["proof/src/trie/a.ts", "../../../rpc/node.ts"],
      ["web/src/pages/a.tsx", "../../../api/assets/schema.ts"],
      ["web/src/a.tsx", "../../client/src/client.ts"],
      ["api/console/a.ts", "../../web/src/routes.tsx"],
    ];
    for (const [file, target] of refused) {
      it(`refuses that ${file} imports ${target}`, async () => {
        await put(file, imports(target));
        expect(folderProblems(folder)).to.have.lengthOf(1);
        expect(folderProblems(folder)[0]).to.contain(`${file}: may not import `);
      });
    }

    it("refuses an import of a type, or one that is made while the program runs", async () => {
      await put(
        "api/a.ts",
        'import type { Thing } from "../db/chain/blocks.ts";\nexport type Kept = Thing;\n',
      );
      await put("api/b.ts", 'export const later = () => import("../indexer/run.ts");\n');
      expect(folderProblems(folder)).to.have.lengthOf(2);
    });

    it("refuses files that import each other", async () => {
      await put("api/a.ts", imports("./b.ts"));
      await put("api/b.ts", imports("./c.ts"));
      await put("api/c.ts", imports("./a.ts"));
      expect(folderProblems(folder)).to.deep.equal([
        "cycle of imports: api/a.ts → api/b.ts → api/c.ts → api/a.ts",
      ]);
    });

    it("refuses a folder of more than 20 files", async () => {
      for (let n = 0; n < 21; n++) await put(`indexer/sync/part-${n}.ts`, "");
      expect(folderProblems(folder)).to.deep.equal([
        "indexer/sync: 21 files; split it into folders of at most 20",
      ]);
    });

    it("accepts imports from the layers below, from the same layer and from the same folder", async () => {
      await put("domain/asset/a.ts", imports("../request/state.ts"));
      await put("db/core/a.ts", imports("../../domain/address.ts"));
      await put("db/chain/a.ts", imports("../service/requests/endings.ts"));
      await put("db/service/a.ts", imports("../chain/cancellations.ts"));
      await put("db/reads/a.ts", imports("../chain/assets.ts", "../service/requests/find.ts"));
      await put("rpc/a.ts", imports("../domain/address.ts", "./logs/logs.ts"));
      await put("indexer/a.ts", imports("../db/chain/blocks.ts", "../rpc/node.ts", "../config.ts"));
      await put("api/assets/a.ts", imports("../../db/reads/assets.ts", "../../config/production.ts"));
      await put("api/a.ts", imports("../package.json"));
      expect(folderProblems(folder)).to.deep.equal([]);
    });
  });

  describe("lint", () => {
    const refused = {
      noExplicitAny: "export const thing: any = 1;\n",
      noFocusedTests: 'it.only("runs alone", () => {});\n',
      noSkippedTests: 'it.skip("never runs", () => {});\n',
      noEnum: "export enum Thing {\n  One,\n}\n",
    };
    for (const [rule, text] of Object.entries(refused)) {
      it(`refuses what breaks ${rule}`, async () => {
        await put("test/a.test.ts", text);
        expect(await lint()).to.contain(rule);
      });
    }
  });

  describe("time of patterns", () => {
    async function patterns(): Promise<string> {
      const script = join(root, "scripts", "checks", "check-patterns.ts");
      const { stdout } = await run(process.execPath, [script], { cwd: folder }).catch(
        (error: { stdout: string }) => error,
      );
      return stdout;
    }

    const refused = {
      "a run at the end": "/=+$/",
      "two runs beside each other": "/^a\\s*\\s*$/",
      "a run within a run": "/^(?:a+)+$/",
      "a run before what may be missing": "/\\s*;.*/",
    };
    const endless = [
      "/range.*exceed/",
      "/a|to (.*) end/",
      "/gas limit[^,]*cap/i",
      "/go[\\s\\S]*end/",
      "/^a.*b/m",
    ];
    for (const pattern of endless) {
      it(`refuses ${pattern}, which goes on to the end from each place`, async () => {
        await put("domain/a.ts", `export const kept = ${pattern};\n`);
        expect(await patterns())
          .to.contain("domain/a.ts:1 ")
          .and.to.contain("without an end");
      });
    }

    for (const [what, pattern] of Object.entries(refused)) {
      it(`refuses ${what}, and says where it is`, async () => {
        await put(
          "domain/a.ts",
          `type Text = string;\nexport const kept = (text: Text) => ${pattern}.test(text);\n`,
        );
        expect(await patterns())
          .to.contain("domain/a.ts:2 ")
          .and.to.contain("grows");
      });
    }

    it("refuses one that is made while the program runs", async () => {
      await put("api/a.ts", "export const made = (text: string) => new RegExp(text);\n");
      expect(await patterns()).to.contain("api/a.ts:1 makes a pattern");
    });

    it("accepts what reads each character once", async () => {
      const accepted = [
        "/^[a-z]+$/",
        "/^\\s+/",
        "/\\s+/g",
        "/^0x[0-9a-f]{1,64}$/i",
        "/[^a-z]/g",
        "/^a.*b/",
        "/a.{0,100}b/",
        "/`([^`]+)`/g",
        "/more than \\d+ logs/",
      ];
      await put("domain/a.ts", `export const kept = [${accepted.join(", ")}];\n`);
      await put("test/a.test.ts", "export const kept = /=+$/;\n");
      expect(await patterns()).to.equal("");
    });
  });

  it("format refuses a file in another form", async () => {
    await put("a.ts", "export const thing   =   1\n");
    expect(await complaint("@biomejs/biome", "biome", ["format", "."])).to.contain("a.ts");
  });

  it("types refuse a wrong one", async () => {
    await put("domain/a.ts", 'export const thing: number = "one";\n');
    expect(await complaint("typescript", "tsc", ["-p", "."])).to.contain("TS2322");
  });

  it("the format of Solidity refuses a file in another form", async () => {
    await put("contracts/A.sol", "// SPDX-License-Identifier: MIT\npragma solidity 0.8.37;\ncontract A{}\n");
    expect(await complaint("prettier", "prettier", ["--check", "contracts/A.sol"])).to.contain("A.sol");
  });

  it("the lint of Solidity refuses tx.origin", async () => {
    const body =
      "contract A {\n    function f() external view returns (address) {\n        return tx.origin;\n    }\n}\n";
    await put("contracts/A.sol", `// SPDX-License-Identifier: MIT\npragma solidity 0.8.37;\n\n${body}`);
    const said = await complaint("solhint", "solhint", ["--max-warnings", "0", "contracts/A.sol"]);
    expect(said).to.contain("avoid-tx-origin");
  });
});
