import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import { openKeystore } from "../../../scripts/session/keystore.ts";
import { SessionError } from "../../../scripts/session/service.ts";

const account = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};

describe("a keystore", () => {
  let folder: string;
  let keystore: string;
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "keystore-"));
    const json = await encryptKeystoreJson(account, "päss wort", { scrypt: { N: 2, r: 8, p: 1 } });
    keystore = file("key.json", json);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("is opened with the password of a file, whose line end is none of it, or of the environment", async () => {
    for (const source of [
      { file: file("password", "päss wort\n"), environment: "wrong" },
      { file: undefined, environment: "päss wort" },
    ]) {
      expect(await openKeystore(keystore, source)).to.equal(account.privateKey);
    }
  });

  it("is opened with a password of letters that have several forms, whichever was encrypted with", async () => {
    const typed = "p\u00b2 \u00b5 pa\u00df \u00e4 \ufb01";
    const written: [string, string | Uint8Array][] = [
      // geth and cast take the bytes as they are typed, ethers makes NFKC of a text.
      ["as typed", Buffer.from(typed)],
      ["ethers", typed],
      ...["NFC", "NFD", "NFKC", "NFKD"].map((form): [string, Uint8Array] => [
        form,
        Buffer.from(typed.normalize(form)),
      ]),
    ];
    for (const [what, password] of written) {
      const json = await encryptKeystoreJson(account, password, { scrypt: { N: 2, r: 8, p: 1 } });
      const path = file("forms.json", json);
      for (const form of [typed, typed.normalize("NFD")]) {
        if (form !== typed && what === "as typed") continue;
        const source = { file: undefined, environment: form };
        expect(await openKeystore(path, source), what).to.equal(account.privateKey);
      }
      const wrong = await openKeystore(path, { file: undefined, environment: "p3" }).catch((error) => error);
      expect(wrong, what).to.be.instanceOf(SessionError);
    }
    const marked = { file: file("marked", "\ufeffpäss wort\r\n"), environment: undefined };
    expect(await openKeystore(keystore, marked)).to.equal(account.privateKey);
  });

  it("says what is wrong, and never what the password was", async () => {
    const source = { file: undefined, environment: "not this one" };
    for (const [path, words] of [
      [keystore, "another one"],
      [join(folder, "none"), "cannot be read"],
      [file("text", "not JSON"), "no keystore"],
      [file("other.json", '{"version": 1}'), "no keystore"],
    ] as const) {
      const error = await openKeystore(path, source).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SessionError);
      expect((error as Error).message)
        .to.contain(words)
        .and.not.contain(source.environment);
    }
  });
});
