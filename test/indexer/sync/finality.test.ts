import { expect } from "chai";
import { pino } from "pino";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { reindex } from "../../../indexer/sync/reindex.ts";
import { createSync } from "../../../indexer/sync/sync.ts";
import { connectNode } from "../../../rpc/node.ts";
import type { Lie } from "../../support/chain/liar.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("what is final", () => {
  let rig: LiarRig;

  afterEach(() => rig.stop());

  const finalBlock = async () => (await readIndexPosition(rig.pool))?.finalNumber ?? -1;

  /** The node's own header of a block, under a rule. */
  async function headerOf(tag: string, change: object = {}): Promise<Lie> {
    const response = await fetch(rig.anvil.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [tag, false] }),
    });
    const { result } = (await response.json()) as { result: object };
    return { result: { ...result, ...change } };
  }

  const sayOfFinalized = (lie: () => Lie | Promise<Lie>) =>
    rig.liar.on("eth_getBlockByNumber", ({ params }) => (params[0] === "finalized" ? lie() : undefined));

  /** A request that is Confirmed by the chain's `finalized` tag. */
  async function confirmed(): Promise<string> {
    rig = await startLiarRig({ confirmations: "finalized" });
    await rig.startIndexer();
    const { id } = await rig.createInBlock();
    await rig.mine(6);
    await rig.reach(id, "Confirmed");
    return id;
  }

  for (const [what, lie] of [
    ["null", async () => ({ result: null })],
    ["an older block", () => headerOf("0x1")],
    ["another block of that height", () => headerOf("0x2", { hash: `0x${"ab".repeat(32)}` })],
    ["that it has none yet", async () => ({ error: { code: -39001, message: "finalized block not found" } })],
    [
      "that it does not know the tag",
      async () => ({ error: { code: -32602, message: "invalid block tag" } }),
    ],
    ["nonsense", async () => ({ result: { number: "0x" } })],
  ] satisfies [string, () => Promise<Lie>][]) {
    it(`stays final where the node then answers ${what}, and the index goes on`, async () => {
      const id = await confirmed();
      const before = await finalBlock();
      sayOfFinalized(lie);
      await rig.mine(2);
      await rig.caughtUp();
      expect(await finalBlock()).to.equal(before);
      expect((await rig.stateOf(id)).state).to.equal("Confirmed");
      rig.liar.honest();
      await rig.mine(3);
      await rig.caughtUp();
      expect(await finalBlock()).to.be.above(before);
      expect((await rig.history(id)).filter(({ state }) => state === "Confirmed")).to.have.length(1);
    });
  }

  it("is a block that is stored, with or without an event, though it is deeper than any reorg", async () => {
    rig = await startLiarRig({ confirmations: 200 });
    await rig.startIndexer();
    const stored = async () =>
      (await rig.pool.query<{ number: number }>("select number from chain.blocks order by number")).rows;
    for (let round = 0; round < 6; round += 1) {
      await rig.mine(60);
      await rig.caughtUp();
    }
    const head = Number((await rig.chain.getBlock()).number);
    expect(await finalBlock()).to.equal(head - 199);
    const numbers = (await stored()).map(({ number }) => number);
    expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, index) => head - 199 + index));
  });

  it("is nothing while the node does not know the tag, which is said once and stops nothing", async () => {
    rig = await startLiarRig({ confirmations: "finalized" });
    sayOfFinalized(async () => ({ error: { code: -32602, message: "invalid block tag" } }));
    await rig.startIndexer();
    const { id } = await rig.createInBlock();
    await rig.reach(id, "Committed");
    for (let block = 0; block < 3; block += 1) {
      await rig.mine();
      await rig.caughtUp();
    }
    expect(await finalBlock()).to.equal(-1);
    expect(rig.logged.filter(({ msg }) => msg.includes("finalized block"))).to.have.length(1);
  });

  it("is no block that the index does not have yet", async () => {
    rig = await startLiarRig({ confirmations: "finalized" });
    sayOfFinalized(() => headerOf("latest", { number: "0xffff" }));
    await rig.startIndexer();
    await rig.mine(2);
    await rig.caughtUp();
    expect(await finalBlock()).to.equal(Number((await rig.chain.getBlock()).number));
  });

  it("stays final when CONFIRMATIONS is set higher, or to the tag, at the next start", async () => {
    rig = await startLiarRig({ confirmations: 2 });
    await rig.startIndexer();
    const { id } = await rig.createInBlock();
    await rig.mine(3);
    await rig.reach(id, "Confirmed");
    await rig.stopIndexer();
    const before = await finalBlock();
    sayOfFinalized(async () => ({ result: null }));
    for (const confirmations of [50, "finalized"] as const) {
      const node = connectNode([rig.liar.url]);
      const log = pino({ level: "silent" });
      const sync = createSync({ pool: rig.pool, node, confirmations, log });
      await rig.mine(2);
      while (await sync.step());
      expect(await finalBlock()).to.equal(before);
      expect((await rig.stateOf(id)).state).to.equal("Confirmed");
      node.close();
    }
  });

  it("stays final when the index is built again from a node that names an older block", async () => {
    const id = await confirmed();
    const before = await finalBlock();
    sayOfFinalized(() => headerOf("0x1"));
    const node = connectNode([rig.liar.url]);
    await reindex({ pool: rig.pool, node, log: pino({ level: "silent" }) });
    node.close();
    expect(await finalBlock()).to.equal(before);
    expect((await rig.stateOf(id)).state).to.equal("Confirmed");
  });

  it("is taken back by a reorg that removes it, and by nothing less", async () => {
    const id = await confirmed();
    const { blockNumber = 0 } = await rig.find(id);
    const head = Number((await rig.chain.getBlock()).number);
    await rig.anvil.rpc("anvil_reorg", [head - blockNumber + 1, []]);
    await rig.mine();
    await rig.caughtUp();
    expect(rig.counted("deep_reorg_total")).to.equal(1);
    expect(rig.logged.some(({ level, msg }) => level === 50 && msg.includes("final blocks"))).to.equal(true);
    expect((await rig.stateOf(id)).state).to.equal("Submitted");
  });
});
