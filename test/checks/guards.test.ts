import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { program } from "../../scripts/local/checks.ts";

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

  describe("import fences", () => {
    const refused: [string, string][] = [
      ["domain/a.ts", "node:fs"],
      ["domain/a.ts", "pg"],
      ["domain/a.ts", "viem/accounts"],
      ["domain/a.ts", "../db/core/pool.ts"],
      ["db/core/a.ts", "../../indexer/run.ts"],
      ["db/a.ts", "../api/app.ts"],
      ["db/a.ts", "../config.ts"],
      ["db/a.ts", "express"],
      ["indexer/a.ts", "../api/app.ts"],
      ["indexer/a.ts", "express"],
      ["indexer/a.ts", "pg"],
      ["indexer/a.ts", "ethers"],
      ["api/assets/a.ts", "../../indexer/run.ts"],
      ["api/a.ts", "../indexer/run.ts"],
      ["api/a.ts", "pg"],
      ["api/a.ts", "hardhat"],
      ["api/a.ts", "../scripts/deploy-registry.ts"],
      ["api/client/a.ts", "node:crypto"],
      ["api/client/a.ts", "../app.ts"],
      ["api/client/a.ts", "../../db/core/pool.ts"],
    ];
    for (const [file, target] of refused) {
      it(`${file} may not import ${target}`, async () => {
        await put(file, `import { thing } from "${target}";\n\nexport const kept = thing;\n`);
        expect(await lint()).to.contain("noRestrictedImports");
      });
    }

    it("api may not import a function that writes schema chain", async () => {
      await put(
        "api/a.ts",
        'import { insertAssets } from "../db/chain/assets.ts";\n\nexport const kept = insertAssets;\n',
      );
      expect(await lint()).to.contain("api never writes schema chain");
    });

    const accepted: [string, string][] = [
      ["domain/a.ts", "viem"],
      ["domain/asset/a.ts", "../request/state.ts"],
      ["db/core/a.ts", "../../domain/request/state.ts"],
      ["db/a.ts", "pg"],
      ["indexer/a.ts", "../db/core/pool.ts"],
      ["api/assets/a.ts", "../../db/core/pool.ts"],
      ["api/a.ts", "../config.ts"],
    ];
    for (const [file, target] of accepted) {
      it(`${file} may import ${target}`, async () => {
        await put(file, `import { thing } from "${target}";\n\nexport const kept = thing;\n`);
        expect(await lint()).to.equal("");
      });
    }
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
      const script = join(root, "scripts", "check-patterns.ts");
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
