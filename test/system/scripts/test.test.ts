import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { runNode } from "../../support/program.ts";

describe("npm test", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tests-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(source: string, ...args: string[]) {
    const file = join(folder, "example.ts");
    writeFileSync(file, source);
    const { TEST_DATABASE_URL: _, TEST_POOLER_URL: __, TOTALS_FILE: ___, CI: ____, ...env } = process.env;
    const { code, stdout, stderr } = await runNode(["scripts/test.ts", ...args, file], { env }).ended;
    return { code, lastLine: stdout.trimEnd().split("\n").at(-1), stdout, stderr };
  }

  const passing = 'it("passes", () => {});';

  it("ends with the totals and success when all tests pass", async () => {
    expect(await run(passing)).to.include({ code: 0, lastLine: "1 passed, 0 failed" });
  });

  it("fails when a test fails", async () => {
    const result = await run(
      `${passing} it("fails", () => { throw new Error(); }); it.skip("later", () => {});`,
    );
    expect(result).to.include({ code: 1, lastLine: "1 passed, 1 failed, 1 skipped" });
  });

  it("fails when a hook fails", async () => {
    const result = await run(`before(() => { throw new Error(); }); ${passing}`);
    expect(result).to.include({ code: 1, lastLine: "0 passed, 1 failed" });
  });

  it("fails when no test was run", async () => {
    expect(await run("export {};")).to.include({ code: 1, lastLine: "0 passed, 0 failed" });
    expect(await run(passing, "--grep", "no such name")).to.include({
      code: 1,
      lastLine: "0 passed, 0 failed",
    });
  });

  it("fails when only one test was left to run", async () => {
    expect(await run(`${passing} it["on" + "ly"]("alone", () => {});`)).to.include({ code: 1 });
  });

  it("fails when a test ends the runner, even as if all were well", async () => {
    const result = await run(`${passing} it("leaves", () => process.exit(0));`);
    expect(result).to.include({ code: 1, lastLine: "0 passed, 1 failed" });
    expect(result.stderr).to.include("Mocha ended with exit code 0");
  });

  it("fails when a test leaves something in the temporary folder, and names and removes it", async () => {
    const left = await run(`import { mkdtempSync } from "node:fs"; import { tmpdir } from "node:os";
      it("makes", () => { console.log("made " + mkdtempSync(tmpdir() + "/forgotten-")); });`);
    expect(left).to.include({ code: 1, lastLine: "1 passed, 1 failed" });
    expect(left.stdout).to.match(/^failed: left behind in the temporary folder: forgotten-/m);
    expect(existsSync(/made (.*)/.exec(left.stdout)?.[1] ?? "")).to.equal(false);
  });

  it("fails when a file cannot be loaded", async () => {
    expect(await run('import "no-such-package";')).to.include({ code: 1, lastLine: "0 passed, 1 failed" });
  });

  it("gives the tests a database of their own, and none of the shell's settings", async () => {
    const source = `it("has", () => {
      if (!process.env.TEST_DATABASE_URL?.startsWith("postgres://postgres:")) throw new Error("no database");
      if (process.env.DATABASE_URL !== undefined) throw new Error("the shell's");
    });`;
    process.env["DATABASE_URL"] = "postgres://the-shell";
    try {
      expect(await run(source)).to.include({ code: 0 });
    } finally {
      delete process.env["DATABASE_URL"];
    }
  });

  it("counts the tests in Solidity as their runner prints them", async () => {
    const file = join(folder, "totals.json");
    const { stdout } = await runNode(["test/support/runner/solidity.ts", "default", "testFuzz_Id"], {
      env: { ...process.env, TOTALS_FILE: file },
    }).ended;
    const printed = Number(/(\d+) passing/.exec(stdout)?.[1]);
    expect(printed).to.equal(2);
    expect(JSON.parse(readFileSync(file, "utf8"))).to.deep.equal({ passed: printed, failed: 0, skipped: 0 });
  });
});
