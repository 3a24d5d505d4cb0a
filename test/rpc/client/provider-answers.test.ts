import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Lie } from "../../support/chain/liar.ts";
import { eventually } from "../../support/eventually.ts";
import { asksForBlock, type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

type Block = Record<string, unknown>;

describe("a node whose answers have a strange form", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
    await rig.startIndexer();
    await rig.caughtUp();
  });
  afterEach(() => rig.stop());

  const shapes: [string, string, Lie][] = [
    [
      "a page of HTML",
      "not_json",
      { http: { headers: { "content-type": "text/html" }, body: "<html>Bad gateway" } },
    ],
    ["half of an answer", "unreachable", "truncate"],
    ["an end without an answer", "unreachable", "drop"],
    ["HTTP 500", "http_status", { http: { status: 500, body: "" } }],
    ["an id that is text", "bad_envelope", { envelope: (answer) => ({ ...answer, id: String(answer.id) }) }],
    [
      "an id of another call",
      "bad_envelope",
      { envelope: (answer) => ({ ...answer, id: Number(answer.id) - 1 }) },
    ],
    ["neither result nor error", "bad_envelope", { envelope: ({ id }) => ({ jsonrpc: "2.0", id }) }],
    [
      "an error beside a stale result",
      "rpc_error",
      { envelope: (answer) => ({ ...answer, error: { code: -32000, message: "header not found" } }) },
    ],
    ["a result of another type", "bad_answer", { result: 7 }],
    ["null for what must be", "bad_answer", { result: [null] }],
  ];
  for (const [what, reason, lie] of shapes) {
    it(`is asked again for ${what}, and the reason is counted`, async () => {
      let told = 0;
      for (const method of ["eth_getBlockByNumber", "eth_getLogs"]) {
        let lies = 0;
        rig.liar.on(method, () => {
          if (lies >= 1) return undefined;
          lies += 1;
          told += 1;
          return lie;
        });
      }
      const { asset } = await rig.createInBlock();
      await rig.indexed(asset);
      await rig.caughtUp();
      expect(told).to.equal(2);
      expect(rig.counted("rpc_failure_total", reason)).to.be.at.least(2);
      expect(await rig.count("assets")).to.equal(1);
    });
  }

  it("is asked again where it answers with another block than the asked one", async () => {
    // One that follows block by block need not ask for any by its number.
    await rig.stopIndexer();
    const made = [await rig.createInBlock(), await rig.createInBlock()];
    let lies = 0;
    rig.liar.on("eth_getBlockByNumber", async ({ params }) => {
      if (!made.some(({ number }) => asksForBlock(params, number)) || lies >= 3) return undefined;
      lies += 1;
      return { result: await rig.anvil.rpc("eth_getBlockByNumber", ["0x1", false]) };
    });
    await rig.startIndexer();
    for (const { asset } of made) await rig.indexed(asset);
    expect(lies).to.be.at.least(1);
    expect(rig.counted("rpc_failure_total", "bad_answer")).to.be.at.least(1);
  });

  const batches: [string, (answers: unknown[]) => unknown][] = [
    ["in reverse", (answers) => answers.toReversed()],
    ["without its last answer", (answers) => answers.slice(0, -1)],
    ["with one answer twice", (answers) => [answers[0], ...answers.slice(0, -1)]],
    [
      "by a single error",
      () => ({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } }),
    ],
  ];
  for (const [what, change] of batches) {
    it(`attributes no answer to another call when a batch is answered ${what}`, async () => {
      await rig.stopIndexer();
      const made = [];
      for (let index = 0; index < 6; index += 1) made.push(await rig.createInBlock());
      let batchesLeft = 2;
      rig.liar.onBatch((answers) => {
        batchesLeft -= 1;
        return batchesLeft < 0 ? answers : change(answers);
      });
      await rig.startIndexer();
      for (const { asset } of made) await rig.indexed(asset);
      const { rows } = await rig.pool.query<{ number: number; hash: Buffer }>(
        "select number, hash from chain.blocks",
      );
      for (const { number, hash } of rows) {
        const block = await rig.chain.getBlock({ blockNumber: BigInt(number) });
        expect(`0x${hash.toString("hex")}`).to.equal(block.hash);
      }
      expect(batchesLeft).to.be.below(2);
    });
  }

  it("makes nothing of a receipt that is missing or of an orphaned block, and never a cancellation", async () => {
    const { id } = await rig.requestCreation();
    const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { gas: 60_000n }));
    await rig.reach(id, "Submitted");
    let asked = 0;
    rig.liar.on("eth_getTransactionReceipt", async ({ forward }) => {
      asked += 1;
      if (asked <= 3) return { result: null };
      const receipt = (await forward()) as Block;
      return { result: asked > 5 ? receipt : { ...receipt, blockHash: `0x${"ab".repeat(32)}` } };
    });
    await rig.mine(6);
    await rig.reach(id, "RevokedByBlockchain");
    expect((await rig.history(id)).map(({ state }) => state)).to.deep.equal([
      "Received",
      "TxSignatureSubmitted",
      "Submitted",
      "RevokedByBlockchain",
    ]);
    const { rows } = await rig.pool.query<{ hash: Buffer }>(
      "select hash from chain.blocks where number in (select block_number from chain.reverts)",
    );
    const mined = await rig.chain.getTransactionReceipt({ hash });
    expect(`0x${rows[0]?.hash.toString("hex")}`).to.equal(mined.blockHash);
  });

  for (const lost of [false, true]) {
    it(`makes no cancellation of a nonce that it counts by the next block, ${lost ? "which is then lost" : "which holds the transaction"}`, async () => {
      const { id } = await rig.requestCreation();
      const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
      await rig.reach(id, "Submitted");
      await rig.anvil.rpc("anvil_dropTransaction", [hash]);
      const raw = (await rig.pool.query("select '0x' || encode(raw, 'hex') as raw from service.transactions"))
        .rows[0]?.raw;
      let asked = 0;
      rig.liar.on("eth_getTransactionCount", async ({ forward }) => {
        asked += 1;
        if (asked > 1) return undefined;
        const before = await forward();
        await rig.send(raw);
        await rig.mine();
        if (lost) await rig.anvil.rpc("anvil_reorg", [1, []]);
        return { result: `0x${(Number(before) + 1).toString(16)}` };
      });
      await rig.mine();
      await eventually(
        "the count of the next block",
        async () => asked,
        (times) => times > 0,
      );
      await eventually(
        "Committed",
        async () => {
          // What was lost is sent again.
          if (lost) await rig.mine();
          return (await rig.stateOf(id)).state;
        },
        (state) => state === "Committed",
      );
      expect((await rig.history(id)).map(({ state }) => state)).to.deep.equal([
        "Received",
        "TxSignatureSubmitted",
        "Submitted",
        "Committed",
      ]);
    });
  }

  it("is asked for no filter, which it could forget", async () => {
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    const filters = rig.liar.calls.filter(({ method }) => /filter/i.test(method));
    expect(filters).to.deep.equal([]);
  });

  it("is given up after 15 s when its answer never ends, and asked again", async () => {
    let dripped = 0;
    let droppedAt = 0;
    let asked: number[] = [];
    rig.liar.on("eth_getLogs", ({ at }) => {
      asked = [...asked, at];
      if (dripped > 0) return undefined;
      dripped += 1;
      droppedAt = at;
      return "drip";
    });
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    expect((asked[1] ?? 0) - droppedAt).to.be.below(15_000);
    expect(rig.counted("rpc_failure_total", "timeout")).to.equal(1);
  });

  it("needs no field that the index has no use for, and minds none that it does not know", async () => {
    rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
      const block = (await forward()) as Block | null;
      if (block === null) return undefined;
      const { logsBloom, size, totalDifficulty, mixHash, sha3Uncles, miner, gasUsed, ...rest } = block;
      return { result: { ...rest, l1BlockNumber: "0x1", milliTimestamp: null } };
    });
    rig.liar.on("eth_getLogs", async ({ forward }) => {
      const logs = (await forward()) as Block[];
      const system = {
        address: "0x000000000000000000000000000000000000800a",
        transactionHash: `0x${"00".repeat(32)}`,
        topics: [],
        data: "0x",
      };
      return { result: [system, ...logs.map((log) => ({ ...log, l1BatchNumber: null }))] };
    });
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    expect(rig.counted("rpc_failure_total")).to.equal(0);
    expect((await rig.pool.query("select from chain.undecoded_logs")).rowCount).to.equal(0);
  });

  it("stores large numbers, and is not stopped by one that is too large", async () => {
    const { id } = await rig.requestCreation();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
    await rig.reach(id, "Submitted");
    const huge = 0xffffffe2;
    rig.differOnPurpose();
    rig.liar.on("eth_getTransactionCount", () => ({ result: "0x20000000000000" }));
    rig.liar.on("eth_getLogs", async ({ forward }) => {
      const logs = (await forward()) as Block[];
      return { result: logs.map((log) => ({ ...log, logIndex: `0x${huge.toString(16)}` })) };
    });
    await rig.mine();
    await rig.reach(id, "Committed");
    const { rows } = await rig.pool.query("select log_index from chain.assets");
    expect(rows).to.deep.equal([{ log_index: huge }]);
    const sequences = await rig.pool.query(
      "select from information_schema.sequences where sequence_schema in ('chain', 'service')",
    );
    expect(sequences.rowCount, "sequences that could run out").to.equal(0);
  });

  it("ends within a moment when it is told to while the node says nothing", async () => {
    rig.liar.on("*", () => "hold");
    const calls = rig.liar.calls.length;
    await eventually(
      "a call that hangs",
      async () => rig.liar.calls.length,
      (count) => count > calls,
    );
    await sleep(0);
    const started = performance.now();
    await rig.stopIndexer();
    expect(performance.now() - started).to.be.below(5_000);
  });
});
