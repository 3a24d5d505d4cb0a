import { expect } from "chai";
import { runCli } from "../../support/cli.ts";
import { type StubAnswer, stubService } from "../../support/stub-service.ts";

const id = `0x${"a".repeat(64)}`;
const env = { ASSET_REGISTRY_URL: "http://service.example", ASSET_REGISTRY_API_KEY: "key" };
const of = (state: string, more: object = {}) => ({
  value: { id, state, transactionId: "t", requiredConfirmations: 5, history: [], ...more },
});

/** A service that answers one after the other, and the last one again and again. */
function answering(...answers: StubAnswer[]) {
  let at = 0;
  const next = () => answers[Math.min(at++, answers.length - 1)] as StubAnswer;
  return stubService({ [`GET /assets/${id}/status`]: next, "GET /transactions/t/status": next });
}

describe("asset-registry status", () => {
  it("says how far an asset is, with what belongs to it", async () => {
    const { fetch, calls } = answering(
      of("Committed", { blockNumber: 7, confirmations: 2, transactionHash: "0x1\u001b" }),
    );
    const { code, stdout } = await runCli(["status", id], { env, fetch });
    expect({ code, stdout }).to.deep.equal({
      code: 0,
      stdout: "Committed, block 7, transaction 0x1\\u{1b}, 2 of 5 confirmations\n",
    });
    expect(calls[0]?.headers.get("x-api-key")).to.equal("key");
  });

  it("says why it ended, with exit code 1", async () => {
    const hint = { message: "No funds." };
    const { fetch } = answering(of("RevokedByTxServer", { reason: "EXPIRED", hint }));
    const { code, stdout } = await runCli(["status", id], { env, fetch });
    expect({ code, stdout }).to.deep.equal({
      code: 1,
      stdout: "RevokedByTxServer, because of EXPIRED, No funds.\n",
    });
  });

  it("needs an API key for an asset, and none for a transaction", async () => {
    const { fetch } = answering(of("Received"));
    const { ASSET_REGISTRY_API_KEY: _key, ...keyless } = env;
    expect(await runCli(["status", id], { env: keyless, fetch })).to.include({ code: 3 });
    expect(await runCli(["status", "t"], { env: keyless, fetch })).to.include({
      code: 0,
      stdout: "Received\n",
    });
  });

  describe("--watch", () => {
    const watch = ["status", id, "--watch", "--every", "0.1"];

    it("prints each change once, until it is Confirmed", async () => {
      const committed = of("Committed", { blockNumber: 7 });
      const { fetch } = answering(of("Received"), of("Received"), committed, committed, of("Confirmed"));
      const { code, stdout } = await runCli(watch, { env, fetch });
      expect({ code, stdout }).to.deep.equal({
        code: 0,
        stdout: "Received\nCommitted, block 7\nConfirmed\n",
      });
    });

    it("prints a line of JSON for each change", async () => {
      const { fetch } = answering(of("Received"), of("RevokedByUser"));
      const { code, stdout } = await runCli([...watch, "--json"], { env, fetch });
      expect(code).to.equal(1);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line).state)).to.deep.equal(["Received", "RevokedByUser"]);
    });

    it("goes on when the service is away for a while, and says so once", async () => {
      const away = { status: 503, code: "DATABASE_UNAVAILABLE", message: "Later." };
      // The client tries three times before it says so.
      const { fetch } = answering(of("Received"), ...Array(6).fill(away), of("Confirmed"));
      const { code, stdout, stderr } = await runCli(watch, { env, fetch });
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "Received\nConfirmed\n" });
      expect(stderr).to.equal("The service answered DATABASE_UNAVAILABLE: Later. It is asked again.\n");
    });

    it("ends where the service says that there is no such asset", async () => {
      const { fetch } = stubService({});
      const { code, stderr } = await runCli(watch, { env, fetch });
      expect({ code, stderr }).to.deep.equal({
        code: 2,
        stderr: "The service answered ASSET_NOT_FOUND: There is no such asset.\n",
      });
    });

    it("ends at Ctrl-C", async () => {
      const stopping = new AbortController();
      const { fetch } = stubService({
        [`GET /assets/${id}/status`]: () => {
          setImmediate(() => stopping.abort());
          return of("Received");
        },
      });
      const { stdout, stderr } = await runCli(["status", id, "--watch", "--every", "3600"], {
        env,
        fetch,
        signal: stopping.signal,
      });
      expect({ stdout, stderr }).to.deep.equal({ stdout: "Received\n", stderr: "Stopped.\n" });
    });
  });
});
