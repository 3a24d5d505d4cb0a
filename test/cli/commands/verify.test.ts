import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { padHex } from "viem";
import type { Proof } from "../../../proof/src/proof.ts";
import { type CliOptions, runCli } from "../../support/cli.ts";
import { blockTime, linkWord, someAsset, type World, worldWith } from "../../support/proof/world.ts";

const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/** An address of which one letter has another case. */
const mistyped = (address: string) => address.replace("C5", "c5");
const stranger = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const text = "line one\nline two\n";
const texts = {
  name: "Lease\u001b[31m",
  method: "SHA-256",
  hash: "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13",
};
const asset = someAsset(author, texts);
const [standing, revoked] = [padHex("0x22", { size: 32 }), padHex("0x33", { size: 32 })];

describe("asset-registry verify", () => {
  let folder: string;
  let world: World;
  let proof: Proof;
  const file = (name: string, content: string | object) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  /** Runs it with JSON: exit code, verdict, and the checks of the first result by their names. */
  const verify = async (args: string[], options: CliOptions = {}) => {
    const { code, stdout } = await runCli(["verify", "--json", ...args], options);
    const { verdict, results = [], error } = JSON.parse(stdout);
    const checks = (results[0]?.checks ?? []) as {
      name: string;
      outcome: string;
      code: string;
      reason: string;
    }[];
    const of = (name: string) => checks.find((check) => check.name === name);
    return { code, verdict, results, error, of };
  };
  const trusting = () => ["--block-hash", world.block.hash];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    world = await worldWith(asset, {
      links: { [standing]: linkWord(blockTime - 500), [revoked]: linkWord(blockTime - 500, blockTime - 100) },
    });
    proof = await world.prove(asset, [standing, revoked]);
    file("lease.txt", text);
    file("proof.json", proof);
  });
  after(() => rmSync(folder, { recursive: true }));
  const lease = () => join(folder, "lease.txt");
  const document = () => join(folder, "proof.json");

  describe("given a file, its proof and the block's hash", () => {
    it("is valid, and says what was shown", async () => {
      const { code, stdout, stderr } = await runCli(["verify", lease(), document(), ...trusting()]);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(stdout).to.contain(`VALID  ${document()}\n`);
      expect(stdout).to.match(/^ {2}content {3}valid {9}The file has the/m);
      expect(stdout).to.match(/^ {2}links {5}valid {9}.*stands since.*is revoked since/m);
      expect(stdout).to.match(/^ {2}block {5}valid .*given by --block-hash/m);
      expect(stdout).to.contain(`  author    ${author}\n`);
      expect(stdout).to.contain("  name      Lease\\u{1b}[31m\n");
      expect(stdout).to.contain("What happened after that block is not in the proof.");
    });

    it("tells the same in JSON, with the verifier's own result", async () => {
      const { code, verdict, results } = await verify([lease(), document(), ...trusting()]);
      expect({ code, verdict }).to.deep.equal({ code: 0, verdict: "valid" });
      const [result] = results;
      expect(result).to.include({ proof: document(), verdict: "valid" });
      expect(result.asset).to.include({ author, createdOn: blockTime - 1_000 });
      expect(result.links.map(({ state }: { state: string }) => state)).to.deep.equal([
        "standing",
        "revoked",
      ]);
      expect(result.texts).to.deep.equal(texts);
    });

    it("reads either of the two from standard input, and not both", async () => {
      expect(await verify(["-", document(), ...trusting()], { stdin: text })).to.include({
        verdict: "valid",
      });
      const piped = await verify([lease(), "-", ...trusting()], { stdin: JSON.stringify({ value: proof }) });
      expect(piped).to.include({ verdict: "valid" });
      expect((await verify(["-", "-"])).error).to.include({ code: "standard-input-twice" });
    });

    it("is invalid where a byte of the file differs, and explains other line ends", async () => {
      const other = await verify([file("other.txt", text.replace("one", "One")), document(), ...trusting()]);
      expect(other).to.include({ code: 1, verdict: "invalid" });
      expect(other.of("content")).to.include({ outcome: "invalid", code: "file-differs" });
      expect(other.results[0]).to.not.have.property("hint");
      const crlf = await runCli([
        "verify",
        file("crlf.txt", text.replaceAll("\n", "\r\n")),
        document(),
        ...trusting(),
      ]);
      expect(crlf.code).to.equal(1);
      expect(crlf.stdout).to.contain(
        "The same text with LF line ends and no byte order mark has the registered hash",
      );
    });

    it("cannot check a file whose hash was made by a method that nobody knows", async () => {
      const unknown = someAsset(author, { ...texts, method: "BLAKE9" });
      const other = await worldWith(unknown);
      const path = file("blake9.json", await other.prove(unknown));
      const { code, of } = await verify([lease(), path, "--block-hash", other.block.hash]);
      expect(code).to.equal(2);
      expect(of("content")).to.include({ outcome: "cannot check", code: "unknown-method" });
    });

    it("is not valid for another author than the one that is expected", async () => {
      const same = await verify([lease(), document(), ...trusting(), "--author", author.toLowerCase()]);
      expect(same).to.include({ code: 0 });
      const other = await verify([lease(), document(), ...trusting(), "--author", stranger]);
      expect(other).to.include({ code: 1, verdict: "invalid" });
      expect(other.of("author")).to.include({ outcome: "invalid", code: "another-author" });
    });

    it("cannot tell of a link that the proof is not of", async () => {
      const { code, of } = await verify([
        lease(),
        document(),
        ...trusting(),
        "--link",
        padHex("0x44", { size: 32 }),
      ]);
      expect(code).to.equal(2);
      expect(of("links")).to.include({ code: "link-missing" });
    });
  });

  describe("given a hash, or no file", () => {
    it("compares the hash, in any spelling", async () => {
      const base64 = Buffer.from(texts.hash, "hex").toString("base64");
      expect(await verify(["--hash", `sha256-${base64}`, document(), ...trusting()])).to.include({ code: 0 });
      const other = await verify(["--hash", `sha256:${"0".repeat(64)}`, document(), ...trusting()]);
      expect(other).to.include({ code: 1 });
      const sha3 = await verify(["--hash", texts.hash, "-m", "SHA3-256", document(), ...trusting()]);
      expect(sha3).to.include({ code: 2 });
      expect(sha3.of("content")).to.include({ code: "another-method" });
    });

    it("checks the rest of the proof without a file", async () => {
      const { code, of } = await verify(["--no-file", document(), ...trusting()]);
      expect(code).to.equal(0);
      expect(of("content")).to.include({ code: "no-file" });
      const { stdout } = await runCli(["verify", "--no-file", document(), ...trusting()]);
      expect(stdout).to.match(/^ {2}content {3}not asked/m);
    });
  });

  describe("given a bad proof", () => {
    it("is invalid, or cannot be checked, and never fails otherwise", async () => {
      const whole = JSON.stringify(proof);
      for (const [what, content, expected] of [
        ["an empty file", "", 2],
        ["half a document", whole.slice(0, whole.length / 2), 2],
        ["no JSON", "not JSON", 2],
        ["another document", "{}", 2],
        ["nesting without an end", "[".repeat(1_000_000), 2],
        ["another author", whole.replace(author, stranger), 1],
        ["another name", whole.replace("Lease", "Loan"), 1],
        [
          "a node too many",
          JSON.stringify({ ...proof, assetSlot: { proof: [...proof.assetSlot.proof, "0x80"] } }),
          1,
        ],
        ["too many bytes", " ".repeat(5_000_000), 2],
      ] as const) {
        const { code, stderr } = await runCli(["verify", lease(), file("bad.json", content), ...trusting()]);
        expect(code, `${what}: ${stderr}`).to.equal(expected);
        expect(stderr).to.not.contain("Unexpected");
      }
    });

    it("is said to be unreadable once, and not for each check", async () => {
      const bad = file("bad.json", "prose");
      const { code, stdout } = await runCli(["verify", lease(), bad, ...trusting()]);
      expect({ code, stdout }).to.deep.equal({
        code: 2,
        stdout: `CANNOT CHECK  ${bad}\n  The document cannot be read as a proof. The document is no JSON at character 1.\n`,
      });
    });

    it("is told from a proof that was named before its file", async () => {
      const { code, stdout } = await runCli(["verify", document(), lease(), ...trusting()]);
      expect(code).to.equal(2);
      expect(stdout).to.contain("is a proof: name the file first, and its proof second.\n");
    });

    it("is none that is not there, or a folder", async () => {
      expect((await verify([lease(), join(folder, "none"), ...trusting()])).error.code).to.equal(
        "file-not-found",
      );
      expect((await verify([folder, document(), ...trusting()])).error.code).to.equal("file-is-folder");
    });
  });

  describe("given no block hash of the verifier's own", () => {
    it("cannot check the block, and says how to", async () => {
      const { code, of, results } = await verify([lease(), document()]);
      expect(code).to.equal(2);
      expect(of("content")).to.include({ outcome: "valid" });
      expect(of("block")).to.include({ outcome: "cannot check", code: "no-trusted-block" });
      expect(results[0].words).to.contain("--block-hash, --block-file or --rpc");
    });

    it("finds a wrong file all the same", async () => {
      expect(await verify([file("other.txt", "other"), document()])).to.include({
        code: 1,
        verdict: "invalid",
      });
    });
  });

  describe("given a file with the block's hash", () => {
    it("takes the hash alone, a block in JSON, or the answer of a node", async () => {
      const { hash, number } = world.block;
      const quantity = `0x${number.toString(16)}`;
      for (const content of [
        `${hash}\n`,
        { hash, number },
        { hash, number: quantity },
        { result: { hash, number: quantity } },
      ]) {
        const result = await verify([lease(), document(), "--block-file", file("block", content)]);
        expect(result.code, JSON.stringify(content)).to.equal(0);
        expect(result.of("block")?.reason).to.contain("from the file");
      }
      const other = { hash, number: 7 };
      const wrong = await verify([
        lease(),
        document(),
        "--block-file",
        file("block", { ...other, hash: padHex("0x1", { size: 32 }) }),
      ]);
      expect(wrong).to.include({ code: 2 });
      expect(wrong.of("block")).to.include({ code: "another-block-number" });
    });

    it("refuses one that holds none", async () => {
      for (const content of ["", "{}", "0x12", "[1]"]) {
        const { code, error } = await verify([lease(), document(), "--block-file", file("block", content)]);
        expect({ code, error: error.code }).to.deep.equal({ code: 2, error: "block-file-invalid" });
      }
    });
  });

  for (const [what, args, code] of [
    [
      "two sources of the block's hash",
      ["a", "b", "--block-hash", `0x${"1".repeat(64)}`, "--rpc", "http://a"],
      "options-exclude",
    ],
    ["a block hash that is none", ["a", "b", "--block-hash", "0x12"], "block-hash-invalid"],
    ["a node's URL that is none", ["a", "b", "--rpc", "node"], "rpc-invalid"],
    ["nothing", [], "file-missing"],
    ["a hash and a file", ["--hash", "sha256:00", "a", "b"], "too-many-arguments"],
    ["a hash that is none", ["--hash", "sha256:00", "a"], "hash-not-readable"],
    ["an asset that is none", ["a", "--asset", "0x1"], "id-invalid"],
    ["an author that is none", ["a", "--author", "0x1"], "address-invalid"],
    ["an author with a wrong checksum", ["a", "--author", mistyped(author)], "address-invalid"],
    ["a registry with a wrong checksum", ["a", "--registry", mistyped(author)], "address-invalid"],
    ["no file, proof or asset", ["--no-file", "--service", "http://a"], "proof-missing"],
    ["no service", ["package.json"], "service-missing"],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const result = await verify([...args]);
      expect({ code: result.code, error: result.error?.code }).to.deep.equal({ code: 3, error: code });
    });
  }
});
