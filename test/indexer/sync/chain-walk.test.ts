import { expect } from "chai";
import type { Hex } from "viem";
import { findAsset } from "../../support/database/find-asset.ts";
import { eventually } from "../../support/eventually.ts";
import { asksForBlock, type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

type Block = { hash: Hex; number: Hex };

describe("an indexer that walks the chain", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  const reorg = (depth: number, transactions: [Hex, number][] = []) =>
    rig.anvil.rpc("anvil_reorg", [depth, transactions]);
  const states = async (id: string) => (await rig.history(id)).map(({ state }) => state);

  it("counts a reorg deeper than the confirmations, and says once which blocks it was about", async () => {
    const { id } = await rig.createInBlock();
    await rig.startIndexer();
    await rig.mine(8);
    await rig.reach(id, "Confirmed");
    await rig.caughtUp();
    const old = await rig.chain.getBlock();
    await reorg(9);
    await rig.mine(3);
    await rig.caughtUp();
    expect((await rig.stateOf(id)).state).to.equal("Submitted");
    expect(rig.counted("deep_reorg_total")).to.equal(1);
    const errors = rig.logged.filter(({ level }) => level >= 50) as object[];
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include({ oldHash: old.hash }).and.to.have.property("newHash").that.matches(/^0x/);
    expect(await rig.count("assets")).to.equal(0);
  });

  it("takes a head that goes back by three, on the same chain, for a node that lags", async () => {
    const { id } = await rig.createInBlock();
    await rig.mine(6);
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.reach(id, "Confirmed");
    const [history, blocks] = [await states(id), await rig.count("blocks")];
    const behind = `0x${((await rig.position()) - 3).toString(16)}`;
    let looks = 0;
    rig.liar.on("eth_getBlockByNumber", async ({ params }) => {
      if (params[0] !== "latest") return undefined;
      looks += 1;
      return looks > 10
        ? undefined
        : { result: await rig.anvil.rpc("eth_getBlockByNumber", [behind, false]) };
    });
    const logsRead = rig.liar.callsOf("eth_getLogs").length;
    await eventually(
      "ten looks",
      async () => looks,
      (count) => count > 12,
    );
    expect(await states(id)).to.deep.equal(history);
    expect(await rig.count("blocks")).to.equal(blocks);
    expect(rig.counted("reorg_total")).to.equal(0);
    expect(rig.counted("head_behind_total")).to.equal(1);
    expect(rig.liar.callsOf("eth_getLogs").length).to.equal(logsRead);
    await rig.mine();
    await rig.caughtUp();
  });

  it("finds the way back from an orphaned block with few questions, however far it is behind", async () => {
    const kept = await rig.createInBlock();
    await rig.mine(20);
    const lost = await rig.createInBlock();
    await rig.startIndexer();
    await rig.mine(5);
    await rig.caughtUp();
    await rig.stopIndexer();
    const { rows } = await rig.pool.query<{ hash: Buffer }>("select hash from chain.blocks");
    await reorg(10);
    await rig.mine(300);
    const orphaned = new Set<string>();
    for (const { hash } of rows) {
      const hex = `0x${hash.toString("hex")}`;
      if ((await rig.anvil.rpc("eth_getBlockByHash", [hex, false])) === null) orphaned.add(hex);
    }
    expect(orphaned.size).to.equal(10);
    rig.liar.on("eth_getBlockByHash", ({ params }) =>
      orphaned.has(String(params[0])) ? { result: null } : undefined,
    );
    rig.liar.calls.length = 0;
    const started = performance.now();
    await rig.startIndexer();
    await rig.caughtUp();
    expect(performance.now() - started).to.be.below(30_000);
    const old = rig.liar
      .callsOf("eth_getBlockByNumber")
      .filter(({ params }) => Number(params[0]) <= lost.number + 5);
    expect(old.length, "questions about blocks that were indexed before").to.be.at.most(40);
    expect(await rig.isIndexed(kept.asset)).to.equal(true);
    expect(await rig.isIndexed(lost.asset)).to.equal(false);
    expect(rig.counted("reorg_total")).to.equal(1);
  });

  it("shows each change once when the walk back fails in the middle, twice", async () => {
    const { id } = await rig.requestCreation();
    const signed = await rig.sign((await rig.find(id)).calldata);
    await rig.startIndexer();
    const hash = await rig.submit(id, signed);
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Committed");
    await rig.mine(3);
    await rig.caughtUp();
    const indexed = await rig.position();
    let failures = 0;
    const walked = new Map<number, number>();
    rig.liar.on("eth_getBlockByNumber", ({ params }) => {
      const number = Number(params[0]);
      // The third block of the walk: two questions went before it.
      if (!(number < indexed) || failures >= 2) return undefined;
      walked.set(number, (walked.get(number) ?? 0) + 1);
      if (walked.size < 3) return undefined;
      failures += 1;
      walked.clear();
      return { http: { status: 500, body: "" } };
    });
    await rig.anvil.rpc("anvil_reorg", [4, []]);
    await rig.reach(id, "Submitted");
    await rig.caughtUp();
    expect(failures).to.equal(2);
    await eventually(
      "the transaction in the pool again",
      () => rig.anvil.rpc<Block | null>("eth_getTransactionByHash", [hash]),
      (found) => found !== null,
    );
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await states(id)).to.deep.equal([
      "Received",
      "TxSignatureSubmitted",
      "Submitted",
      "Committed",
      "Submitted",
      "Committed",
    ]);
  });

  describe("given a chain that shares nothing with the index within 128 blocks", () => {
    it("heals a reorg of 128 blocks by itself", async () => {
      await rig.startIndexer();
      await rig.mine(10);
      const lost = await rig.createInBlock();
      await rig.mine(127);
      await rig.caughtUp();
      await reorg(128);
      await rig.caughtUp();
      expect(await rig.isIndexed(lost.asset)).to.equal(false);
      expect(await rig.halted()).to.equal(undefined);
    });

    it("stops the writing for a reorg of 129 blocks", async () => {
      await rig.startIndexer();
      await rig.mine(10);
      const kept = await rig.createInBlock();
      await rig.mine(128);
      await rig.caughtUp();
      await reorg(129);
      await eventually("the halt", rig.halted, (text) => text !== undefined);
      expect(await rig.isIndexed(kept.asset)).to.equal(true);
    });

    it("stops the writing by name, keeps the data, and goes on when the chain is right again", async () => {
      const kept = await rig.createInBlock();
      await rig.mine(150);
      await rig.startIndexer();
      await rig.caughtUp();
      const replace = (text: unknown) => `0x${String(text).slice(2).replaceAll(/[0-7]/g, "f")}`;
      rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
        const block = (await forward()) as Block & { parentHash: Hex };
        return { result: { ...block, hash: replace(block.hash), parentHash: replace(block.parentHash) } };
      });
      const reason = await eventually("the halt", rig.halted, (text) => text !== undefined);
      expect(reason).to.match(/shares none of the blocks \d+ to \d+ with the index/);
      expect(await findAsset(rig.pool, kept.asset)).to.have.property("id", kept.asset);
      expect(rig.counted("halt_total")).to.equal(1);
      rig.liar.honest();
      await eventually("the writing again", rig.halted, (text) => text === undefined);
      await rig.mine();
      await rig.caughtUp();
      expect(rig.counted("deep_reorg_total")).to.equal(0);
    });

    it("stops, too, when another chain moves in behind the same URL, and names both", async () => {
      const { asset } = await rig.createInBlock();
      await rig.startIndexer();
      await rig.caughtUp();
      rig.liar.on("eth_chainId", () => ({ result: "0x1" }));
      rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
        const block = (await forward()) as Block | null;
        return { result: block && { ...block, hash: `0x${block.hash.slice(2).replaceAll(/[0-7]/g, "f")}` } };
      });
      const reason = await eventually("the halt", rig.halted, (text) => text !== undefined);
      expect(reason).to.match(/serves chain 1, but chain 31337 is indexed/);
      rig.liar.honest();
      await eventually("the writing again", rig.halted, (text) => text === undefined);
      expect(await rig.isIndexed(asset)).to.equal(true);
    });
  });

  it("keeps an event whose block cannot be had for a while, and its time is the block's", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    let nulls = 0;
    const next = (await rig.position()) + 1;
    rig.liar.on("eth_getBlockByNumber", ({ params }) => {
      if (!asksForBlock(params, next) || nulls >= 3) return undefined;
      nulls += 1;
      return { result: null };
    });
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    const { timestamp } = await rig.chain.getBlock();
    expect((await findAsset(rig.pool, asset))?.createdOn).to.equal(Number(timestamp));
    expect(nulls).to.equal(3);
  });
});
