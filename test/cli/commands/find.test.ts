import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { runCli } from "../../support/cli.ts";

const lfHash = "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13";
const service = "https://registry.example";

const asset = {
  id: `0x${"1".repeat(64)}`,
  chainId: 1,
  registry: `0x${"2".repeat(40)}`,
  author: `0x${"3".repeat(40)}`,
  name: "Lease\u001b[2J",
  method: "SHA2-256",
  hash: lfHash,
  createdOn: "2026-11-28T02:10:45.000+00:00",
  blockNumber: 12,
  logIndex: 0,
  final: true,
};

/** A service on whose chain these assets are, by the hash that is asked for. */
function serving(assets: Record<string, object[]>) {
  const asked: URL[] = [];
  const fetch = (async (input: string | URL) => {
    const url = new URL(input);
    asked.push(url);
    const value = assets[url.searchParams.get("hash") ?? ""] ?? [];
    return new Response(JSON.stringify({ value, meta: { size: 50 } }), {
      headers: { "content-type": "application/json" },
    });
  }) as typeof globalThis.fetch;
  return { fetch, asked };
}

describe("asset-registry find", () => {
  let folder: string;
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("names the assets that bear the file's hash, the oldest first, and sends nothing but the hash", async () => {
    const younger = { ...asset, id: `0x${"4".repeat(64)}`, blockNumber: 13, final: false };
    const { fetch, asked } = serving({ [lfHash]: [younger, asset] });
    const path = file("lf.txt", "line one\nline two\n");
    const { code, stdout } = await runCli(["find", "--service", service, path], { fetch });
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      [
        `${asset.id}  Lease\\u{1b}[2J`,
        `  by ${asset.author} on ${asset.createdOn}`,
        `  chain 1, registry ${asset.registry}, block 12`,
        "",
        `${younger.id}  Lease\\u{1b}[2J`,
        `  by ${asset.author} on ${asset.createdOn}`,
        `  chain 1, registry ${asset.registry}, block 13, which is not final yet`,
        "",
      ].join("\n"),
    );
    expect(asked.map(String)).to.deep.equal([`${service}/public/assets/?hash=${lfHash}&method=SHA2-256`]);
  });

  it("takes the service from the environment, and prints JSON", async () => {
    const { fetch } = serving({ [lfHash]: [asset] });
    const path = file("lf.txt", "line one\nline two\n");
    const env = { ASSET_REGISTRY_URL: service };
    const { stdout } = await runCli(["find", "--json", path], { fetch, env });
    expect(JSON.parse(stdout)).to.deep.equal({ file: path, size: 18, assets: [asset] });
  });

  it("looks for a hash as a program printed it, without a file", async () => {
    const { fetch, asked } = serving({ [lfHash]: [asset] });
    const hash = `${lfHash.toUpperCase()}  lease.txt\n`;
    const { code, stdout } = await runCli(["find", "--json", "--service", service, "--hash", hash], {
      fetch,
    });
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ method: "SHA2-256", hash: lfHash });
    expect(asked.map(String)).to.deep.equal([`${service}/public/assets/?hash=${lfHash}&method=SHA2-256`]);
  });

  it("says which method it assumed of a hash that nobody registered", async () => {
    const { fetch } = serving({});
    const find = (...args: string[]) => runCli(["find", "--service", service, ...args], { fetch });
    const assumed = await find("--hash", "0".repeat(64));
    expect(assumed.code).to.equal(1);
    expect(assumed.stdout).to.match(/^No asset bears this SHA2-256 hash\. .*name it by --method\.\n$/);
    const named = await find("--hash", "0".repeat(64), "-m", "BLAKE3");
    expect(named).to.include({ code: 1, stdout: "No asset bears this BLAKE3 hash.\n" });
  });

  it("needs a file or a hash, and takes not both", async () => {
    for (const args of [[], ["--hash", lfHash, "lease.txt"]]) {
      const { code, stderr } = await runCli(["find", "--service", service, ...args]);
      expect(code).to.equal(3);
      expect(stderr).to.contain("Name a file, or give --hash instead.");
    }
  });

  it("says that nothing was found, with exit code 1", async () => {
    const { fetch } = serving({});
    const { code, stdout } = await runCli(["find", "--service", service, file("other", "other")], { fetch });
    expect(code).to.equal(1);
    expect(stdout).to.contain("No asset bears the hash of").and.to.contain("--method all");
  });

  for (const [what, text, words] of [
    ["CRLF line ends", "line one\r\nline two\r\n", "LF line ends and no byte order mark"],
    ["a byte order mark", "\ufeffline one\nline two\n", "the same line ends and no byte order mark"],
  ] as const) {
    it(`explains that the same text without ${what} is registered, and finds it no more for that`, async () => {
      const { fetch } = serving({ [lfHash]: [asset] });
      const { code, stdout } = await runCli(["find", "--service", service, file("text", text)], { fetch });
      expect(code).to.equal(1);
      expect(stdout).to.contain(`The same text with ${words} is registered as ${asset.id}`);
    });
  }

  for (const [cause, words] of [
    ["connect ECONNREFUSED 127.0.0.1:9", "connect ECONNREFUSED 127.0.0.1:9"],
    ["bad port", "bad port"],
  ] as const) {
    it(`cannot tell where the service is down, and says which it is: ${cause}`, async () => {
      const fetch = async () => {
        throw new TypeError("fetch failed", { cause: new Error(cause) });
      };
      const { code, stdout, stderr } = await runCli(
        ["find", "--json", "--service", service, file("a", "a")],
        {
          fetch,
        },
      );
      expect(code).to.equal(2);
      expect(stderr).to.equal(`The service at registry.example does not answer: ${words}.\n`);
      expect(JSON.parse(stdout).error.code).to.equal("service-unreachable");
    });
  }

  it("says that something else answers, such as a node", async () => {
    const fetch = async () => new Response('{"jsonrpc":"2.0"}', { status: 404 });
    const { code, stderr } = await runCli(["find", "--service", service, file("a", "a")], { fetch });
    expect(code).to.equal(2);
    expect(stderr).to.match(/^What answers at registry\.example is not the service: .*was answered 404/);
  });

  it("tells those who asked for JSON that it was stopped", async () => {
    const stop = new AbortController();
    const fetch = async () => {
      stop.abort();
      throw stop.signal.reason;
    };
    const args = ["find", "--json", "--service", service, file("a", "a")];
    const { code, stdout, stderr } = await runCli(args, { fetch, signal: stop.signal });
    expect({ code, stderr }).to.deep.equal({ code: 2, stderr: "Stopped.\n" });
    expect(JSON.parse(stdout)).to.deep.equal({ error: { code: "stopped", message: "Stopped." } });
  });
});
