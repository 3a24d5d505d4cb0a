import { expect } from "chai";
import { other } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

type RawLog = { blockNumber: `0x${string}` };
type Filter = { fromBlock?: `0x${string}`; toBlock?: `0x${string}`; blockHash?: `0x${string}` };

describe("a node that keeps logs back", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  it("that lags behind the head it names loses no event, and the cursor waits for it", async () => {
    await rig.mine(20);
    const made = [];
    for (let index = 0; index < 10; index += 1) made.push(await rig.createInBlock());
    const lastSeen = (made[3]?.number ?? 0) as number;
    const onlyOld = (logs: unknown) =>
      (logs as RawLog[]).filter(({ blockNumber }) => Number(blockNumber) <= lastSeen);
    rig.liar.on("eth_getLogs", async ({ forward }) => ({ result: onlyOld(await forward()) }));
    rig.liar.on("eth_getBlockReceipts", () => ({ error: { code: -32601, message: "method not found" } }));
    rig.liar.on("eth_getTransactionReceipt", () => ({ result: null }));

    await rig.startIndexer();
    await eventually(
      "several looks at the missing logs",
      async () => rig.counted("trouble_total"),
      (count) => count >= 3,
    );
    expect(await rig.position()).to.be.at.most(lastSeen);
    rig.liar.honest();
    for (const { asset } of made) await rig.indexed(asset);
    expect(await rig.count("assets")).to.equal(10);
  });

  it("that has none for a block whose bloom names the registry is asked again, and the cursor waits", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    const before = await rig.position();
    let empty = 0;
    rig.liar.on("eth_getLogs", () => {
      empty += 1;
      return empty <= 5 ? { result: [] } : undefined;
    });
    const { id, asset } = await rig.createInBlock();
    await eventually(
      "the fifth empty answer",
      async () => empty,
      (count) => count >= 5,
    );
    expect(await rig.position()).to.equal(before);
    expect(await rig.isIndexed(asset)).to.equal(false);
    expect(rig.counted("rpc_failure_total", "missing_logs")).to.be.at.least(4);
    expect(rig.logged.some(({ reason }) => reason === "missing_logs")).to.equal(true);
    await rig.reach(id, "Committed");
    expect(empty).to.be.at.least(6);
  });

  it("that never finds them again does not stop the index: the receipts hold them", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    rig.liar.on("eth_getLogs", () => ({ result: [] }));
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
  });

  it("whose bloom has every bit set, as where a chain keeps none, is believed after a look at the receipts", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
      const block = (await forward()) as object | null;
      return { result: block && { ...block, logsBloom: `0x${"ff".repeat(256)}` } };
    });
    // Blocks with logs of others: the filter of a block without any would be no chance but a lie.
    const talker = other.address;
    await rig.anvil.rpc("anvil_setCode", [talker, "0x60006000a000"]); // logs nothing at all, at every call
    for (let block = 0; block < 3; block += 1) {
      await rig.send((await rig.sign("0x", { to: talker })).raw);
      await rig.mine();
    }
    await rig.caughtUp();
    expect(rig.counted("rpc_failure_total")).to.equal(0);
  });

  describe("that cuts every answer to the first 100 without a word", () => {
    const cut = (r: LiarRig) =>
      r.liar.on("eth_getLogs", async ({ forward }) => ({
        result: ((await forward()) as unknown[]).slice(0, 100),
      }));

    it("loses none of 250 in one range of old blocks", async () => {
      await rig.createMany(50, 5);
      await rig.mine(140);
      cut(rig);
      await rig.startIndexer();
      await rig.caughtUp();
      expect(await rig.count("assets")).to.equal(250);
    });

    it("loses none of 110 in one old block, nor of 110 in a new one", async () => {
      await rig.createMany(1, 110);
      await rig.mine(140);
      await rig.createMany(1, 110);
      cut(rig);
      await rig.startIndexer();
      await eventually(
        "all of them",
        () => rig.count("assets"),
        (count) => count === 220,
      );
    });
  });

  it("halves a range that is too much in any words, and reads no block in both halves", async () => {
    const made = [];
    for (let index = 0; index < 12; index += 1) {
      made.push(await rig.createInBlock());
      await rig.mine(5);
    }
    await rig.mine(140);
    const rejections = [
      { error: { code: -32005, message: "query returned more than 10000 results" } },
      { error: { code: -32602, message: "range 1000000 exceeds limit of 10000" } },
      { error: { code: -32000, message: "block range is larger than max block range of 5000" } },
      { http: { status: 413, body: "Payload Too Large" } },
    ];
    const rejected: [number, number][] = [];
    const answered: [number, number][] = [];
    rig.liar.on("eth_getLogs", ({ params }) => {
      const { fromBlock, toBlock } = params[0] as Filter;
      if (fromBlock === undefined) return undefined;
      const range: [number, number] = [Number(fromBlock), Number(toBlock)];
      const tooMuch = range[1] - range[0] >= 4;
      (tooMuch ? rejected : answered).push(range);
      return tooMuch ? rejections[rejected.length % rejections.length] : undefined;
    });
    await rig.startIndexer();
    await rig.caughtUp();
    expect(await rig.count("assets")).to.equal(12);
    expect(rejected.length).to.be.at.least(8);
    const asked = new Set([...rejected, ...answered].map(String));
    for (const [from, to] of rejected) {
      const middle = Math.floor((from + to) / 2);
      expect(asked, `halves of ${from} to ${to}`).to.include.keys(`${from},${middle}`, `${middle + 1},${to}`);
    }
    const blocks = answered.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i),
    );
    expect(new Set(blocks).size, "blocks read twice").to.equal(blocks.length);
  });

  it("rests and does not halve where it was asked too often", async () => {
    for (let index = 0; index < 4; index += 1) await rig.createInBlock();
    await rig.mine(160);
    const rejections = [
      { error: { code: -32005, message: "daily request count exceeded, request rate limited" } },
      { http: { status: 429, body: "slow down" } },
    ];
    const ranges: string[] = [];
    rig.liar.on("eth_getLogs", ({ params }) => {
      const { fromBlock, toBlock } = params[0] as Filter;
      if (fromBlock !== undefined) ranges.push(`${fromBlock}-${toBlock}`);
      return rejections[ranges.length - 1];
    });
    await rig.startIndexer();
    await rig.caughtUp();
    expect(await rig.count("assets")).to.equal(4);
    expect(ranges[0], "the same range again").to.be.oneOf(ranges.slice(2));
    expect(rig.counted("rpc_failure_total", "rate_limited")).to.be.at.least(2);
  });
});
