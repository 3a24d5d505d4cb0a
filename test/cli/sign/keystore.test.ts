import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import type { Io } from "../../../cli/src/io.ts";
import { Problem } from "../../../cli/src/problem.ts";
import { openKeystore } from "../../../cli/src/sign/keystore.ts";
import { isAffordable } from "../../../cli/src/sign/keystore-cost.ts";
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

  for (const [what, kdf, parameters] of [
    ["memory", "scrypt", { n: 2 ** 30, r: 8, p: 1 }],
    ["blocks", "scrypt", { n: 2 ** 17, r: 8, p: 2 ** 20 }],
    ["rounds", "pbkdf2", { c: 2 ** 31, prf: "hmac-sha256" }],
    ["rounds under a name in capitals", "pbkdf2", { C: 2 ** 31, PRF: "hmac-sha256" }],
    ["rounds without end", "pbkdf2", { c: Number.POSITIVE_INFINITY, prf: "hmac-sha256" }],
  ] as const) {
    it(`is not opened where that would take hours or all memory: too many ${what}`, async () => {
      const keystore = JSON.parse(json);
      const crypto = keystore.Crypto ?? keystore.crypto;
      const { salt, dklen } = crypto.kdfparams;
      Object.assign(crypto, { kdf, kdfparams: { salt, dklen, ...parameters } });
      const text = JSON.stringify(keystore).replace(/"c":null/, '"c":1e999');
      const problem = await problemOf(open(text, "päss wort"));
      expect(problem).to.include({ code: "keystore-too-costly", exitCode: 3 });
    }).timeout(5_000);
  }

  it("is opened where the work is that of the slowest keystores in use", () => {
    for (const kdfparams of [
      { n: 2 ** 18, r: 8, p: 1 },
      { n: 2 ** 20, r: 8, p: 1 },
      { n: 4_096, r: 8, p: 6 },
      { c: 1_000_000 },
    ]) {
      expect(isAffordable({ Crypto: { kdfparams } }), JSON.stringify(kdfparams)).to.equal(true);
    }
  });

  describe("has a passphrase", () => {
    const none = { file: undefined, descriptor: undefined };

    it("from a file or a file descriptor, without the marks that editors add", async () => {
      const path = file("passphrase", "\ufeffpäss wort\r\n");
      expect(await readPassphrase("key", { ...none, file: path }, io)).to.equal("päss wort");
      const descriptor = openSync(path, "r");
      expect(await readPassphrase("key", { ...none, descriptor }, io)).to.equal("päss wort");
      closeSync(descriptor);
    });

    it("of a bounded length, however much a file descriptor gives", async () => {
      const descriptor = openSync("/dev/zero", "r");
      expect((await problemOf(readPassphrase("key", { ...none, descriptor }, io))).code).to.equal(
        "file-too-large",
      );
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
