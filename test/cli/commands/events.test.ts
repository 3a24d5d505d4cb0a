import { expect } from "chai";
import { eventLine } from "../../../cli/src/output/event-line.ts";
import type { RegistryEvent } from "../../../client/src/client.ts";
import { type CliOptions, type CliRun, runCli } from "../../support/cli.ts";
import { anEvent, type StreamFault, startEventService } from "../../support/event-service.ts";
import { eventually } from "../../support/eventually.ts";

const id = `0x${"a".repeat(64)}` as const;

describe("asset-registry events", () => {
  let service: Awaited<ReturnType<typeof startEventService>>;
  const start = async (...faults: StreamFault[]) => {
    service = await startEventService(faults.length > 0 ? faults : undefined);
  };
  afterEach(() => service.stop());
  const events = (args: string[], options: CliOptions = {}) =>
    runCli(["events", ...args], {
      env: { ASSET_REGISTRY_URL: service.url, ASSET_REGISTRY_API_KEY: "key" },
      fetch,
      ...options,
    });
  const sequencesOf = (stdout: string) =>
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => Number(line.split(" ")[0]));
  const sequences = ({ stdout }: CliRun) => sequencesOf(stdout);

  /** Follows until so much is printed and something holds, and then presses Ctrl-C. */
  async function followed(args: string[], count: number, until?: () => Promise<unknown>): Promise<CliRun> {
    const stop = new AbortController();
    let running = Promise.resolve<CliRun | undefined>(undefined);
    const printed = new Promise<void>((resolve) => {
      const onOutput = (stdout: string) => (sequencesOf(stdout).length >= count ? resolve() : undefined);
      running = events(["--follow", ...args], { signal: stop.signal, onOutput });
      if (count === 0) resolve();
    });
    await until?.();
    await printed;
    stop.abort();
    return (await running) ?? expect.fail("it did not run");
  }
  const streaming = () =>
    eventually(
      "a stream",
      async () => service.openStreams(),
      (open) => open === 1,
    );

  it("prints what there is, and ends", async () => {
    await start();
    service.tell(250);
    const all = await events([]);
    expect({ code: all.code, stderr: all.stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(sequences(all)).to.deep.equal(Array.from({ length: 250 }, (_, at) => at + 1));
    const some = await events([
      ...["--after", "248", "--kinds", "request, asset.final", "--asset", id, "--transaction", "t"],
    ]);
    expect(sequences(some)).to.deep.equal([249, 250]);
    const call = service.calls.at(-2);
    expect(Object.fromEntries(new URL(call?.path ?? "", "http://x").searchParams)).to.deep.equal({
      kinds: "request,asset.final",
      assetId: id,
      transactionId: "t",
      size: "200",
      after: "248",
    });
    expect(call?.headers["x-api-key"]).to.equal("key");
    expect(service.streamCalls()).to.deep.equal([]);
  });

  it("prints a line of JSON for each", async () => {
    await start();
    service.tell(3);
    const { code, stdout } = await events(["--json"]);
    expect(code).to.equal(0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).to.deep.equal([anEvent(1), anEvent(2), anEvent(3)]);
  });

  it("follows from the oldest on until Ctrl-C, and says where to go on", async () => {
    await start();
    service.tell(3);
    const run = await followed([], 5, async () => {
      await streaming();
      service.tell(2);
    });
    expect(sequences(run)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(run.stderr).to.equal("Continue with --after 5.\n");
  });

  it("follows from now on, or after an event", async () => {
    await start();
    service.tell(3);
    const none = await followed(["--new"], 0, streaming);
    expect(none).to.include({ stdout: "", stderr: "" });
    const after = await followed(["--after", "2"], 1);
    expect(sequences(after)).to.deep.equal([3]);
    const nothing = await followed(["--after", "3"], 0, streaming);
    expect(nothing).to.include({ stdout: "", stderr: "Continue with --after 3.\n" });
  });

  it("says on standard error that no stream comes through, and that the service is away", async () => {
    await start("a page");
    service.tell();
    const polling = await followed([], 1, () =>
      eventually(
        "polls",
        async () => service.pageCalls().length,
        (polls) => polls >= 2,
      ),
    );
    expect(sequences(polling)).to.deep.equal([1]);
    expect(polling.stderr).to.match(
      /^No stream of events comes through, so .*\nContinue with --after 1\.\n$/,
    );
    service.faults.splice(0, 1, { refused: 503, code: "NOT_READY" }, "works");
    const away = await followed([], 1, streaming);
    expect(away.stderr).to.match(/NOT_READY.* It is asked again\.\nThe stream of events is back\.\n/);
  });

  it("ends with what the service refuses, and says what to do", async () => {
    await start();
    service.tell(9);
    service.forgetBefore(5);
    for (const args of [
      ["--after", "2"],
      ["--after", "2", "--follow"],
    ]) {
      const { code, stdout, stderr } = await events(args);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(/^The service answered EVENTS_GONE: .*\n$/);
    }
    service.faults.splice(0, 1, { refused: 401, code: "API_KEY_INVALID" });
    const { code, stdout } = await events(["--follow", "--new", "--json"]);
    expect({ code, error: JSON.parse(stdout).error.code }).to.deep.equal({
      code: 2,
      error: "service-denied",
    });
  });

  it("needs a credential, unless a transaction is named", async () => {
    await start();
    const env = { ASSET_REGISTRY_URL: service.url };
    const { code, stderr } = await runCli(["events"], { env, fetch });
    expect(code).to.equal(3);
    expect(stderr).to.contain("ASSET_REGISTRY_API_KEY");
    expect(service.calls).to.deep.equal([]);
    expect(await runCli(["events", "--transaction", "t"], { env, fetch })).to.include({ code: 0 });
    expect(await runCli(["events"], { env: { ...env, ASSET_REGISTRY_TOKEN: "token" }, fetch })).to.include({
      code: 0,
    });
    expect(service.calls.at(-1)?.headers.authorization).to.equal("Bearer token");
  });

  for (const args of [
    ["--after", "-1"],
    ["--after", "soon"],
    ["--kinds", "request;asset"],
    ["--kinds", ""],
    ["--asset", "0x1"],
    ["--new"],
    ["--follow", "--new", "--after", "1"],
    ["17"],
  ]) {
    it(`ends with exit code 3 for ${args.join(" ")}`, async () => {
      await start();
      expect(await events(args)).to.include({ code: 3, stdout: "" });
      expect(service.calls).to.deep.equal([]);
    });
  }

  it("prints each kind in a line that moves nothing on a terminal", async () => {
    await start();
    const common = { id: "e", time: "2026-11-29T00:00:00+00:00", assetId: id, block: { number: 7 } };
    const lines = [
      {
        ...common,
        sequence: 1,
        kind: "request.RevokedByTxServer",
        data: { reason: "EXPIRED" },
        block: undefined,
      },
      {
        ...common,
        sequence: 2,
        kind: "asset.registered",
        data: { name: "a\u001b[31m\nb", fileName: "x\u202e.pdf" },
      },
      { ...common, sequence: 3, kind: "link.added", data: { from: id, to: "0x2" } },
      {
        sequence: 4,
        id: "e",
        time: common.time,
        kind: "wallet.connected",
        walletId: "w",
        data: { name: "Office", ethereumAddress: "0x3" },
      },
      {
        ...common,
        sequence: 4,
        kind: "request.Received",
        block: undefined,
        data: { kind: "link", targetAssetIds: ["0x2", "0x3"] },
      },
      { ...common, sequence: 5, kind: "later\u0007", data: {} },
    ].map((event) => eventLine(event as unknown as RegistryEvent)); // one is of a later version
    expect(lines).to.deep.equal([
      `1  ${common.time}  request.RevokedByTxServer  ${id}, because of EXPIRED`,
      `2  ${common.time}  asset.registered  ${id}, "a\\u{1b}[31m\\u{a}b", file x\\u{202e}.pdf, block 7`,
      `3  ${common.time}  link.added  ${id}, to 0x2, block 7`,
      `4  ${common.time}  wallet.connected  w, address 0x3, "Office"`,
      `4  ${common.time}  request.Received  ${id}, link 0x2 and 1 more`,
      `5  ${common.time}  later\\u{7}  ${id}, block 7`,
    ]);
  });
});
