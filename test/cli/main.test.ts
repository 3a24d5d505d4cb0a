import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

const main = join(import.meta.dirname, "..", "..", "cli", "src", "main.ts");

describe("the program asset-registry", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    writeFileSync(join(folder, "abc"), "abc");
  });
  after(() => rmSync(folder, { recursive: true }));

  const start = (args: string[], stdout: "pipe" | number = "pipe", stdin: "pipe" | number = "pipe") =>
    spawn(process.execPath, ["--conditions=asset-registry-source", main, ...args], {
      ...{ cwd: folder, stdio: [stdin, stdout, "pipe"], env: { XDG_CONFIG_HOME: folder } },
    });
  async function ended(child: ChildProcess) {
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [code] = await once(child, "close");
    return { code, stderr };
  }

  it("ends with the code of its answer though nobody reads it", async () => {
    for (const [is, code] of [
      ["md5:900150983cd24fb0d6963f7d28e17f72", 0],
      ["md5:00000000000000000000000000000000", 1],
    ] as const) {
      const child = start(["hash", "--is", is, "-"]);
      child.stdout?.destroy();
      child.stdin?.end("abc");
      expect((await ended(child)).code, is).to.equal(code);
    }
  });

  it("ends in the middle of its work without a word where nobody reads it any more", async () => {
    const child = start(["hash", ...Array.from({ length: 2_000 }, () => "abc")]);
    child.stdout?.destroy();
    expect(await ended(child)).to.deep.equal({ code: 141, stderr: "" });
  });

  it("takes no folder for an empty standard input", async () => {
    for (const args of [
      ["hash", "-"],
      ["verify", "--no-file", "-"],
    ]) {
      const opened = openSync(folder, "r");
      const running = ended(start(args, "pipe", opened));
      closeSync(opened);
      const words = "standard input is a folder: name a file.\n";
      expect(await running, args[0]).to.deep.equal({ code: 2, stderr: words });
    }
  });

  it("says in a sentence that the disk is full", async function () {
    // Linux alone has a device that is always full.
    if (!existsSync("/dev/full")) return this.skip();
    const full = openSync("/dev/full", "w");
    const running = ended(start(["hash", "abc"], full));
    closeSync(full);
    const { code, stderr } = await running;
    expect(code).to.equal(2);
    expect(stderr).to.match(/^The output cannot be written: ENOSPC.*\.\n$/);
  });
});
