import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { runCli } from "../../support/cli.ts";

const abc = {
  hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  base64: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
  sha3: "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
  blake3: "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
  md5: "900150983cd24fb0d6963f7d28e17f72",
};

describe("asset-registry hash", () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    file = join(folder, "abc.txt");
    writeFileSync(file, "abc");
    writeFileSync(join(folder, "empty"), "");
    mkdirSync(join(folder, "folder"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("prints the SHA-256 of a file as sha256sum does", async () => {
    const { code, stdout, stderr } = await runCli(["hash", file]);
    expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: `${abc.hex}  ${file}\n`, stderr: "" });
  });

  it("reads standard input, and an empty file", async () => {
    expect((await runCli(["hash", "-"], { stdin: "abc" })).stdout).to.equal(`${abc.hex}  -\n`);
    expect((await runCli(["hash", join(folder, "empty")])).stdout).to.match(/^e3b0c44298fc1c14/);
  });

  it("hashes by several methods at once, in any spelling of their names", async () => {
    const { code, stdout } = await runCli([
      "hash",
      "-m",
      "sha3_256",
      "-m",
      "Blake-3",
      "-m",
      "SHA3-256",
      file,
    ]);
    expect(code).to.equal(0);
    expect(stdout).to.equal(`SHA3-256 (${file}) = ${abc.sha3}\nBLAKE3 (${file}) = ${abc.blake3}\n`);
  });

  it("prints JSON", async () => {
    const { stdout } = await runCli(["hash", "--json", "-m", "sha256", "-m", "sha3-256", file]);
    expect(JSON.parse(stdout)).to.deep.equal([
      { file, size: 3, hashes: { "SHA2-256": abc.hex, "SHA3-256": abc.sha3 } },
    ]);
  });

  it("knows every method", async () => {
    const { stdout } = await runCli(["hash", "--json", "-m", "all", file]);
    const [{ hashes }] = JSON.parse(stdout);
    expect(Object.keys(hashes)).to.have.length(26);
    expect(hashes).to.include({ "SHA2-256": abc.hex, MD5: abc.md5, BLAKE3: abc.blake3 });
  });

  it("warns of a broken method, and names the known ones instead of an unknown one", async () => {
    const md5 = await runCli(["hash", "-m", "md5", file]);
    expect(md5).to.include({ code: 0, stdout: `${abc.md5}  ${file}\n` });
    expect(md5.stderr).to.contain("Warning: MD5 is broken");
    const unknown = await runCli(["hash", "-m", "BLAKE9", file]);
    expect(unknown).to.include({ code: 3, stdout: "" });
    expect(unknown.stderr).to.contain("no method BLAKE9").and.to.contain("SHA2-256");
  });

  describe("--is", () => {
    const cases: [string, string[]][] = [
      ["hex", ["-m", "SHA-256", "--is", abc.hex]],
      ["capital hex with 0x", ["-m", "SHA-256", "--is", `0x${abc.hex.toUpperCase()}`]],
      ["subresource integrity", ["--is", `sha256-${abc.base64}`]],
      ["a prefix and Base64url", ["--is", `sha-256:${abc.base64.replaceAll("+", "-").replaceAll("/", "_")}`]],
      ["a multihash", ["--is", `1220${abc.hex}`]],
      ["a line of sha256sum --tag", ["--is", `SHA256 (other.txt) = ${abc.hex}`]],
    ];
    for (const [what, args] of cases) {
      it(`compares with ${what}`, async () => {
        expect(await runCli(["hash", ...args, file])).to.include({
          code: 0,
          stdout: `${file} has this SHA2-256 hash.\n`,
        });
        const other = await runCli(["hash", ...args, join(folder, "empty")]);
        expect(other.code).to.equal(1);
        expect(other.stdout).to.contain("does not have this SHA2-256 hash");
      });
    }

    it("takes a hash without a method for SHA2-256, and says so where it differs", async () => {
      const same = await runCli(["hash", "--is", `${abc.hex}  other.txt`, file]);
      expect(same).to.include({ code: 0, stderr: "" });
      const other = await runCli(["hash", "--is", abc.sha3, file]);
      expect(other).to.include({ code: 1, stdout: `${file} does not have this SHA2-256 hash.\n` });
      expect(other.stderr).to.contain("if it is not SHA2-256, name it by --method");
    });

    it("cannot compare what is no hash, or several", async () => {
      for (const [args, words] of [
        [["--is", abc.md5], "name it by --method: MD5"],
        [["--is", "prose", "-m", "sha256"], "there is no hash in it"],
        [["--is", abc.hex, "-m", "sha512"], "it is no SHA2-512 hash"],
        [["--is", abc.hex, "-m", "sha256", "-m", "sha3-256"], "made by one method"],
        [["--is", " "], "it is empty"],
      ] as const) {
        const { code, stderr, stdout } = await runCli(["hash", ...args, file]);
        expect({ code, stdout }).to.deep.equal({ code: 3, stdout: "" });
        expect(stderr).to.contain(words);
      }
    });

    it("says in JSON what was compared", async () => {
      const { stdout } = await runCli(["hash", "--json", "--is", `sha256-${abc.base64}`, file]);
      expect(JSON.parse(stdout)).to.deep.equal({ file, size: 3, method: "SHA2-256", matches: true });
    });
  });

  it("says what is wrong with a file, and goes on with the others", async () => {
    const missing = join(folder, "missing");
    const inside = join(folder, "folder");
    const { code, stdout, stderr } = await runCli(["hash", missing, file, inside]);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: `${abc.hex}  ${file}\n` });
    expect(stderr).to.equal(`There is no file ${missing}.\n${inside} is a folder: name a file.\n`);
    const told = await runCli(["hash", "--json", missing, file]);
    expect({ code: told.code, told: JSON.parse(told.stdout) }).to.deep.equal({
      code: 2,
      told: [
        { file: missing, error: { code: "file-not-found", message: `There is no file ${missing}.` } },
        { file, size: 3, hashes: { "SHA2-256": abc.hex } },
      ],
    });
    const alone = await runCli(["hash", "--json", inside]);
    expect(alone.stdout.indexOf("\n")).to.equal(alone.stdout.length - 1);
    expect(JSON.parse(alone.stdout)).to.deep.equal({
      error: { code: "file-is-folder", message: `${inside} is a folder: name a file.` },
    });
  });

  it("shows no escape sequence of a file's name", async () => {
    const evil = join(folder, "\u001b[31mred\u202e.txt");
    writeFileSync(evil, "abc");
    const { stdout } = await runCli(["hash", evil]);
    expect(stdout).to.equal(`${abc.hex}  ${folder}/\\u{1b}[31mred\\u{202e}.txt\n`);
    const json = await runCli(["hash", "--json", evil]);
    expect(json.stdout).to.match(/^[ -~\n]*$/);
    expect(JSON.parse(json.stdout)[0].file).to.equal(evil);
  });

  it("ends when it is stopped", async () => {
    const { code, stdout, stderr } = await runCli(["hash", file], { signal: AbortSignal.abort() });
    expect({ code, stdout, stderr }).to.deep.equal({ code: 2, stdout: "", stderr: "Stopped.\n" });
  });
});
