import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readSettings } from "../../../cli/src/config/settings.ts";
import type { Io } from "../../../cli/src/io.ts";
import { Problem } from "../../../cli/src/problem.ts";

describe("the settings of a command", () => {
  let folder: string;
  let said: string;
  const io = (env: Record<string, string>) =>
    ({
      env: { XDG_CONFIG_HOME: folder, ...env },
      stderr: { write: (text: string) => (said += text) },
    }) as unknown as Io; // the rest is not used
  const config = (text: string, mode = 0o600) => {
    mkdirSync(join(folder, "asset-registry"), { recursive: true });
    const path = join(folder, "asset-registry", "config.json");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    said = "";
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("come from an option, else from the environment, else from the file", async () => {
    config(JSON.stringify({ url: "https://file", apiKey: "file-key", chain: 1, rpc: ["https://file-node"] }));
    const env = {
      ASSET_REGISTRY_URL: "https://environment",
      ASSET_REGISTRY_CHAIN: "",
      ASSET_REGISTRY_RPC: "https://a https://b",
    };
    expect(await readSettings({}, io({}))).to.deep.equal({
      url: "https://file",
      apiKey: "file-key",
      chain: 1,
      rpc: ["https://file-node"],
    });
    expect(await readSettings({}, io(env))).to.include({ url: "https://environment", chain: 1 });
    expect((await readSettings({}, io(env))).rpc).to.deep.equal(["https://a", "https://b"]);
    const options = { service: "https://option", rpc: ["https://c"], chain: 5 };
    expect(await readSettings(options, io(env))).to.deep.include({
      url: "https://option",
      rpc: ["https://c"],
      chain: 5,
    });
    expect(said).to.equal("");
  });

  it("are none where nothing is set", async () => {
    expect(await readSettings({}, io({}))).to.deep.equal({});
  });

  it("take the API key from a file, without its line end", async () => {
    const path = join(folder, "key");
    writeFileSync(path, "secret\n");
    expect(await readSettings({ apiKeyFile: path }, io({ ASSET_REGISTRY_API_KEY: "other" }))).to.deep.equal({
      apiKey: "secret",
    });
  });

  it("warn of secrets that others may read", async () => {
    const path = config('{"apiKey": "secret"}', 0o644);
    await readSettings({}, io({}));
    expect(said).to.equal(`Warning: others may read the secrets in ${path}: chmod 600 it.\n`);
  });

  for (const [what, text, words] of [
    ["no JSON", "{", "is no JSON"],
    ["no object", "[]", "must be a JSON object"],
    ["a member that is misspelt", '{"apikey": "a"}', 'a member "apikey"; it may have url, apiKey'],
    ["a number as a text", '{"chain": "1"}', "chain in"],
    ["an empty text", '{"url": ""}', "url in"],
    ["a text as a list", '{"rpc": "https://a"}', "rpc in"],
  ] as const) {
    it(`refuse a file with ${what}`, async () => {
      config(text);
      const error = await readSettings({}, io({})).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Problem);
      expect(error).to.include({ code: "config-invalid", exitCode: 3 });
      expect((error as Problem).message).to.contain(words);
    });
  }

  it("refuse a file that is named and not there, and a chain that is no number", async () => {
    const missing = await readSettings({ config: join(folder, "none") }, io({})).catch(
      (thrown: unknown) => thrown,
    );
    expect(missing).to.include({ code: "config-not-readable", exitCode: 3 });
    const wrong = await readSettings({}, io({ ASSET_REGISTRY_CHAIN: "main" })).catch(
      (thrown: unknown) => thrown,
    );
    expect(wrong).to.include({ code: "environment-invalid", exitCode: 3 });
  });

  it("take a registry's address as the service does, wherever it stands", async () => {
    const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const upper = `0x${address.slice(2).toUpperCase()}`;
    for (const text of [address, address.toLowerCase(), upper]) {
      expect(await readSettings({ registry: text }, io({}))).to.deep.equal({ registry: address });
    }
    const mistyped = address.replace("f39", "F39");
    for (const [text, words] of [
      [mistyped, `wrong checksum: a letter may be mistyped (expected ${address})`],
      ["0x12", "0x and 40 hex digits, not 0x12"],
      [`0x${"0".repeat(40)}`, "zero address"],
    ] as const) {
      const given = [{ registry: text }, {}, {}];
      for (const [place, options] of given.entries()) {
        config(JSON.stringify(place === 2 ? { registry: text } : {}));
        const env: Record<string, string> = place === 1 ? { ASSET_REGISTRY_ADDRESS: text } : {};
        const error = await readSettings(options, io(env)).catch((thrown: unknown) => thrown);
        expect(error, `${place}`).to.include({ code: "address-invalid", exitCode: 3 });
        expect((error as Problem).message).to.contain(words);
      }
    }
  });
});
