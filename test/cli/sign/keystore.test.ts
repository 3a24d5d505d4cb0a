import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import type { Io } from "../../../cli/src/io.ts";
import { Problem } from "../../../cli/src/problem.ts";
import { openKeystore } from "../../../cli/src/sign/keystore.ts";
import { readPassphrase } from "../../../cli/src/sign/passphrase.ts";

const account = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};
const scrypt = { N: 2, r: 8, p: 1 };
const io = { signal: new AbortController().signal } as Io;

describe("an author's key", () => {
  let folder: string;
  let json: string;
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    json = await encryptKeystoreJson(account, "päss wort", { scrypt });
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = async (text: string, passphrase: string) =>
    openKeystore(file("key.json", text), async () => passphrase, io);
  const problemOf = async (opening: Promise<unknown>) => {
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Problem);
    return error as Problem;
  };

  it("is opened from a keystore that another program made", async () => {
    const { address, privateKey } = await open(json, "päss wort");
    expect(address).to.equal(account.address);
    expect(Buffer.from(privateKey).toString("hex")).to.equal(account.privateKey.slice(2));
  });

  it("is opened with a passphrase of letters that have several forms, whichever was encrypted with", async () => {
    const typed = "p\u00b2 \u00e4 \ufb01";
    for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) {
      const other = await encryptKeystoreJson(account, Buffer.from(typed.normalize(form)), { scrypt });
      expect((await open(other, typed)).address, form).to.equal(account.address);
    }
  });

  it("is not opened with another passphrase, which no message repeats", async () => {
    const problem = await problemOf(open(json, "not this one"));
    expect(problem.code).to.equal("keystore-not-opened");
    expect(problem.message).to.contain("another one").and.to.not.contain("not this one");
  });

  for (const [what, text] of [
    ["no JSON", "text"],
    ["another version", '{"version": 4}'],
    ["nothing", "null"],
  ] as const) {
    it(`is not in a file with ${what}`, async () => {
      expect(await problemOf(open(text, "a"))).to.include({ code: "keystore-invalid", exitCode: 3 });
    });
  }

  it("is not taken under another address than its own", async () => {
    const other = JSON.stringify({
      ...JSON.parse(json),
      address: "70997970c51812dc3a010c7d01b50e0d17dc79c8",
    });
    expect((await problemOf(open(other, "päss wort"))).message).to.contain(account.address);
  });

  it("is not opened where opening would take hours or all memory", async () => {
    const keystore = JSON.parse(json);
    const crypto = keystore.Crypto ?? keystore.crypto;
    crypto.kdfparams.n = 2 ** 30;
    expect((await problemOf(open(JSON.stringify(keystore), "päss wort"))).code).to.equal(
      "keystore-not-opened",
    );
  }).timeout(5_000);

  describe("has a passphrase", () => {
    const none = { file: undefined, descriptor: undefined };

    it("from a file or a file descriptor, without the marks that editors add", async () => {
      const path = file("passphrase", "\ufeffpäss wort\r\n");
      expect(await readPassphrase("key", { ...none, file: path }, io)).to.equal("päss wort");
      const descriptor = openSync(path, "r");
      expect(await readPassphrase("key", { ...none, descriptor }, io)).to.equal("päss wort");
      closeSync(descriptor);
    });

    it("from a person, who is asked without showing it", async () => {
      const asked: unknown[] = [];
      const ask = async (...question: unknown[]) => {
        asked.push(question);
        return "päss wort";
      };
      expect(await readPassphrase("key\u001b.json", none, { ...io, ask })).to.equal("päss wort");
      expect(asked).to.deep.equal([["Passphrase of key\\u{1b}.json: ", { hidden: true }]]);
    });

    it("from nowhere where nobody is there", async () => {
      expect((await problemOf(readPassphrase("key", none, io))).code).to.equal("passphrase-missing");
      const closed = await problemOf(readPassphrase("key", { ...none, descriptor: 999 }, io));
      expect(closed.code).to.equal("file-not-readable");
    });
  });
});
