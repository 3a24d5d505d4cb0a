import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { computeAssetId, type IdentifiedAsset, registryAddress } from "asset-registry-proof";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import { parseTransaction } from "viem";
import { type Change, calldataOf } from "../../../cli/src/sign/change.ts";
import { type CliOptions, runCli } from "../../support/cli.ts";
import { type StubAnswer, type StubCall, stubService } from "../../support/stub-service.ts";

const account = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};
const salt = `0x${"1".repeat(64)}`;
const [parent, child] = [`0x${"2".repeat(64)}`, `0x${"3".repeat(64)}`];
const empty = { name: "", data: "", fileName: "", fileType: "", fileSize: "", method: "", hash: "", uri: "" };
const where = { chainId: 31_337, registry: registryAddress, author: account.address, salt };
const env = { ASSET_REGISTRY_URL: "http://service.example", ASSET_REGISTRY_API_KEY: "key" };

const signUrl = "https://service.example/console/sign/t";

/** An honest service, unless a test takes one of its answers in hand. */
function service(routes: Record<string, (call: StubCall) => StubAnswer> = {}) {
  let change: Change | undefined;
  let assetId = parent;
  const request = (kind: "link" | "revoke") => (call: StubCall) => {
    change = { kind, parent, children: (call.body as { targetAssetIds: string[] }).targetAssetIds };
    return { value: { id: parent, transactionId: "t", state: "Received" } };
  };
  return stubService({
    "POST /assets/": ({ body }) => {
      const { author: _author, ...texts } = body as IdentifiedAsset;
      change = { kind: "create", salt, texts: { ...empty, ...texts } };
      assetId = computeAssetId({ ...where, ...change.texts });
      return { value: { id: assetId, transactionId: "t", signUrl, state: "Received", salt } };
    },
    [`POST /assets/${parent}/links`]: request("link"),
    [`PATCH /assets/${parent}/links`]: request("revoke"),
    "GET /transactions/t": () => ({
      value: {
        ...{
          id: "t",
          kind: change?.kind,
          assetId,
          signer: account.address,
          chainId: 31_337,
          state: "Received",
        },
        ...{
          to: registryAddress,
          data: change && calldataOf(change),
          value: "0x0",
          nextNonce: 0,
          gas: "0x186a0",
        },
        ...{ warning: null, maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x1", gasPrice: null },
      },
    }),
    "POST /transactions/t/submit": () => ({
      value: { id: assetId, transactionId: "t", state: "Submitted", transactionHash: "0x5" },
    }),
    "GET /transactions/t/status": () => ({ value: { id: "t", state: "Committed", assetId } }),
    ...routes,
  });
}

describe("asset-registry register, link and revoke", () => {
  let folder: string;
  let lease: string;
  let signing: string[];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    const put = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    lease = put("lease.PDF", "abc");
    const keystore = put(
      "key.json",
      await encryptKeystoreJson(account, "secret", { scrypt: { N: 2, r: 8, p: 1 } }),
    );
    signing = ["--keystore", keystore];
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (args: string[], fetch: typeof globalThis.fetch, options: CliOptions = {}) =>
    runCli(args, { env, fetch, answers: ["secret", "yes"], ...options });
  const texts = {
    ...{ name: "Lease", data: "Flat 3", fileName: "lease.PDF", fileType: "pdf", fileSize: "3", uri: "" },
    ...{ method: "SHA2-256", hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  };

  it("registers a file: its name, size and hash, and nothing of its content", async () => {
    const { fetch, calls } = service();
    const { code, stdout, stderr, asked } = await run(
      ["register", lease, "--name", "Lease", "--data", "Flat 3", ...signing],
      fetch,
    );
    const id = computeAssetId({ ...where, ...texts });
    expect({ code, stdout }, stderr).to.deep.equal({
      code: 0,
      stdout: `${id}  Committed, transaction 0x5\n`,
    });
    expect(calls[0]?.body).to.deep.equal({ ...texts, author: account.address });
    expect(asked).to.deep.equal([`Passphrase of ${signing[1]}: `, "Sign it? Type yes: "]);
    expect(stderr).to.contain(`create the asset ${id}`).and.to.contain("Flat 3");
    const submitted = calls.find(({ path }) => path.endsWith("/submit"))?.body as {
      signedTransaction: `0x${string}`;
    };
    expect(parseTransaction(submitted.signedTransaction).data).to.equal(
      calldataOf({ kind: "create", salt, texts }),
    );
  });

  it("prints the link to send to an author who signs elsewhere", async () => {
    const args = ["register", lease, "--name", "Lease", "--data", "Flat 3", "--unsigned"];
    const author = ["--author", account.address];
    const { fetch } = service();
    const id = computeAssetId({ ...where, ...texts });
    expect((await run([...args, ...author], fetch)).stdout).to.equal(
      `${id}  Received, the author signs t\nSend the author this link to sign: ${signUrl}\n`,
    );
    const { stdout } = await run([...args, ...author, "--json"], fetch);
    expect(JSON.parse(stdout)).to.deep.equal({ id, transactionId: "t", signUrl, state: "Received" });
  });

  it("tells the asset that was signed, whatever the service calls it in the end", async () => {
    const id = computeAssetId({ ...where, ...texts });
    const renamed = service({
      "POST /transactions/t/submit": () => ({
        value: { id: parent, transactionId: "t", state: "Submitted", transactionHash: "0x5" },
      }),
    });
    const args = ["register", lease, "--name", "Lease", "--data", "Flat 3", "--wait", "none", ...signing];
    expect((await run(args, renamed.fetch)).stdout).to.equal(`${id}  Submitted, transaction 0x5\n`);
  });

  it("takes a time to wait that is one, and no other", async () => {
    for (const timeout of ["soon", "-1", "0", "Infinity"]) {
      const { code, stdout } = await run(
        ["register", lease, "--timeout", timeout, "--json"],
        service().fetch,
      );
      expect({ code, error: JSON.parse(stdout).error.code }, timeout).to.deep.equal({
        code: 3,
        error: "usage",
      });
    }
  });

  for (const kind of ["link", "revoke"] as const) {
    it(`makes the change of links that is asked for: ${kind}`, async () => {
      const { fetch, calls } = service();
      const args = [
        kind,
        parent,
        child.toUpperCase().replace("0X", "0x"),
        ...signing,
        "--json",
        "--idempotency-key",
        "order-1",
      ];
      const { code, stdout } = await run(args, fetch);
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.equal({
        id: parent,
        transactionId: "t",
        transactionHash: "0x5",
        state: "Committed",
      });
      expect(calls[0]?.body).to.deep.equal({ targetAssetIds: [child] });
      expect(calls[0]?.headers.get("idempotency-key")).to.equal("order-1");
    });
  }

  it("signs nothing where the service asks for another text than the file's own", async () => {
    const other = service({
      "POST /assets/": () => ({ value: { id: parent, transactionId: "t", state: "Received", salt } }),
      "GET /transactions/t": () => ({
        value: {
          ...{
            id: "t",
            kind: "create",
            assetId: parent,
            signer: account.address,
            chainId: 31_337,
            state: "Received",
          },
          ...{
            to: registryAddress,
            data: calldataOf({ kind: "create", salt, texts: { ...empty, name: "Loan" } }),
          },
          ...{
            value: "0x0",
            nextNonce: 0,
            gas: "0x1",
            warning: null,
            maxFeePerGas: "0x1",
            maxPriorityFeePerGas: "0x1",
          },
        },
      }),
    });
    const { code, stderr } = await run(["register", lease, ...signing], other.fetch);
    expect(code).to.equal(2);
    expect(stderr).to.contain("something else than what you asked for");
    expect(other.calls.some(({ path }) => path.endsWith("/submit"))).to.equal(false);
  });

  it("signs nothing without a yes, and says how to go on", async () => {
    const { fetch, calls } = service();
    const { code, stderr } = await run(["register", lease, ...signing], fetch, { answers: ["secret", "no"] });
    expect(code).to.equal(2);
    expect(stderr).to.contain("Nothing was signed. The request t waits for its author.");
    expect(calls.some(({ path }) => path.endsWith("/submit"))).to.equal(false);
  });

  it("says with exit code 1 that the request ended otherwise", async () => {
    const revoked = { value: { id: "t", state: "RevokedByBlockchain", reason: "REVERTED" } };
    const { fetch } = service({ "GET /transactions/t/status": () => revoked });
    const { code, stdout } = await run(["register", lease, ...signing, "--json"], fetch);
    expect(code).to.equal(1);
    expect(JSON.parse(stdout).error).to.include({ code: "ended" });
  });

  it("waits no longer than it is told to", async () => {
    const { fetch } = service({
      "GET /transactions/t/status": () => ({ value: { id: "t", state: "Submitted" } }),
    });
    const late = await run(["register", lease, ...signing, "--json", "--timeout", "0.1"], fetch);
    expect(late.code).to.equal(2);
    expect(JSON.parse(late.stdout).error).to.include({ code: "not-in-time" });
    const once = await run(["register", lease, ...signing, "--json", "--wait", "none"], fetch);
    expect(JSON.parse(once.stdout)).to.include({ state: "Submitted" });
  });

  for (const [what, args, options, code] of [
    ["no keystore", [], {}, "keystore-missing"],
    ["nobody to ask", ["--keystore", "KEY"], { answers: undefined }, "nobody-to-ask"],
    ["--yes and no chain", ["--keystore", "KEY", "--yes"], {}, "chain-missing"],
    [
      "no passphrase",
      ["--keystore", "KEY", "--yes", "--chain", "1"],
      { answers: undefined },
      "passphrase-missing",
    ],
    ["an author beside the keystore's", ["--author", account.address], {}, "options-exclude"],
    [
      "no API key",
      ["--keystore", "KEY"],
      { env: { ASSET_REGISTRY_URL: "http://service.example" } },
      "api-key-missing",
    ],
    ["a fee that is no number", ["--max-fee", "much"], {}, "usage"],
    ["a chain that is no number", ["--chain", "main"], {}, "usage"],
    ["a state that nobody waits for", ["--wait", "Received"], {}, "usage"],
  ] as const) {
    it(`refuses ${what} before it asks the service anything`, async () => {
      const { fetch, calls } = service();
      const own = args.map((arg) => (arg === "KEY" ? (signing[1] ?? "") : arg));
      const { code: exitCode, stdout } = await run(
        ["register", lease, "--json", ...own],
        fetch,
        options as CliOptions,
      );
      expect({ exitCode, code: JSON.parse(stdout).error.code }).to.deep.equal({ exitCode: 3, code });
      expect(calls).to.deep.equal([]);
    });
  }

  it("does not open the keystore with another passphrase", async () => {
    const { fetch, calls } = service();
    const { code, stderr } = await run(["register", lease, ...signing], fetch, { answers: ["wrong"] });
    expect(code).to.equal(2);
    expect(stderr).to.contain("its passphrase is another one");
    expect(calls).to.deep.equal([]);
  });
});
