import { expect } from "chai";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { parseRetryAfter } from "../../../rpc/transport/status-error.ts";
import { expectError, startApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { startIndexerProcess } from "../../support/indexer-process.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

const clock = (what: string, ms: number) => {
  const until = Date.now() + ms;
  return eventually(
    what,
    async () => Date.now(),
    (now) => now >= until,
    ms / 1000 + 5,
  );
};

describe("a node that is asked too often, or away", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  it("is left alone for as long as it asks by Retry-After, and caught up with at once after", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    const { asset } = await rig.createInBlock();
    rig.liar.on("*", () => ({ http: { status: 429, headers: { "retry-after": "2" }, body: "" } }));
    rig.liar.calls.length = 0;
    // Five rests show as much as the thirty of the case's minute, which the suite has no time for.
    await clock("ten seconds of 429", 10_000);
    const times = rig.liar.calls.map(({ at }) => at);
    expect(times.length, "calls in ten seconds").to.be.within(3, 12);
    // Whoever asks first after a rest begins the next one; a call that was under way meanwhile may end late.
    const rests = times.slice(1).map((at, index) => at - (times[index] as number));
    expect(rests.filter((ms) => ms > 1_900).length, "rests of two seconds").to.be.at.least(3);
    const before = await readIndexPosition(rig.pool);
    expect(
      Date.now() - (before?.headSeenAt.getTime() ?? 0),
      "age of the head that /ready judges by",
    ).to.be.above(8_000);
    expect(rig.logged.some(({ reason }) => reason === "rate_limited")).to.equal(true);
    rig.liar.honest();
    await rig.indexed(asset);
  });

  it("gets longer and longer rests where it names none", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    rig.liar.on("*", () => ({ error: { code: -32005, message: "project rate limit reached" } }));
    rig.liar.calls.length = 0;
    await clock("eight seconds", 8_000);
    expect(rig.liar.calls.length).to.be.within(2, 10);
    rig.liar.honest();
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
  });

  it("reads Retry-After as seconds or a date, and no longer than five minutes", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const cases: [string | undefined, number | undefined][] = [
      [undefined, undefined],
      ["2", 2_000],
      [" 0 ", 0],
      ["Thu, 01 Jan 2026 00:00:07 GMT", 7_000],
      ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
      ["86400", 300_000],
      ["soon", undefined],
      ["-3", undefined],
    ];
    for (const [text, ms] of cases) expect(parseRetryAfter(text, now), String(text)).to.equal(ms);
  });

  describe("given a node that is away when everything starts", () => {
    const environment = () => ({
      DATABASE_URL: rig.database.url,
      RPC_URL: rig.liar.url,
      REGISTRY_ADDRESS: rig.registry.address,
      START_BLOCK: String(rig.deployment.blockNumber),
    });

    it("serves reads, says so in /ready, logs little, and works soon after the node is there", async () => {
      const { asset } = await rig.createInBlock();
      await rig.liar.shut();
      const child = startIndexerProcess(environment());
      const api = await startApi({
        database: rig.database,
        rpcUrl: rig.liar.url,
        registry: rig.registry,
        indexed: false,
      });
      try {
        await child.logged(/unreachable/);
        expect((await api.get("/health")).status).to.equal(200);
        expect((await api.get(`/assets/${asset}/status`)).status).to.be.below(500);
        expectError(await api.get("/ready"), 503, "NOT_READY");
        const begun = child.lines().length;
        await clock("eleven seconds", 11_000);
        expect(child.lines().length - begun, "lines in eleven seconds").to.be.at.most(3);
        await rig.liar.open();
        await rig.indexed(asset);
        expect((await api.get("/ready")).status).to.equal(200);
        expect(await child.stop()).to.deep.equal({ code: 0, said: "" });
      } finally {
        await child.kill();
        await api.stop();
      }
    });

    it("ends within 5 s of SIGTERM while it waits, whether the node rejects or says nothing", async () => {
      for (const away of ["rejects", "says nothing"]) {
        if (away === "rejects") await rig.liar.shut();
        else {
          await rig.liar.open();
          rig.liar.on("*", () => "hold");
        }
        const child = startIndexerProcess(environment());
        if (away === "rejects") await child.logged(/unreachable/);
        else
          await eventually(
            "a call",
            async () => rig.liar.calls.length,
            (count) => count > 0,
          );
        const started = performance.now();
        expect((await child.stop()).code, away).to.equal(0);
        expect(performance.now() - started, away).to.be.below(5_000);
      }
    });
  });

  it("goes on where it was after kill -9, though no block held anything", async () => {
    const environment = {
      DATABASE_URL: rig.database.url,
      RPC_URL: rig.liar.url,
      REGISTRY_ADDRESS: rig.registry.address,
      START_BLOCK: String(rig.deployment.blockNumber),
    };
    // A quarter of the case's blocks, and eight times what may be read again: anvil takes the longer for each block
    // the more it has, and minutes for ten thousand.
    for (let part = 0; part < 20; part += 1) await rig.mine(125);
    const first = startIndexerProcess(environment);
    await rig.caughtUp();
    const reached = await rig.position();
    await first.kill();
    const { asset } = await rig.createInBlock();
    rig.liar.calls.length = 0;
    const second = startIndexerProcess(environment);
    await rig.indexed(asset);
    await second.stop();
    const read = new Set<number>();
    for (const { params } of rig.liar.callsOf("eth_getLogs")) {
      const { fromBlock, toBlock } = params[0] as { fromBlock?: string; toBlock?: string };
      for (let block = Number(fromBlock ?? 0); block <= Number(toBlock ?? -1); block += 1) read.add(block);
    }
    const headers = rig.liar.callsOf("eth_getBlockByNumber").map(({ params }) => Number(params[0]));
    for (const block of headers) if (block <= reached) read.add(block);
    expect(read.size, "blocks read again").to.be.at.most(300);
  });
});
