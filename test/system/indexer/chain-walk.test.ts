import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("an indexer that walks a long chain, or begins many times", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  it("reads the block that is the head when it starts once, in 50 starts around it", async () => {
    for (let round = 0; round < 50; round += 1) {
      const { asset } = await rig.create();
      const offset = round * 8 - 200;
      const start = async () => {
        await sleep(Math.max(0, offset));
        await rig.startIndexer();
      };
      const mine = async () => {
        await sleep(Math.max(0, -offset));
        await rig.mine();
      };
      await Promise.all([start(), mine()]);
      await rig.indexed(asset);
      await rig.stopIndexer();
    }
    expect(await rig.count("assets")).to.equal(50);
    expect(rig.counted("reorg_total")).to.equal(0);
  });

  it("confirms what is old in the pass that reads it", async () => {
    await rig.mine(100);
    const requests: string[] = [];
    for (let part = 0; part < 10; part += 1) {
      await rig.createMany(10, 50, 10);
      requests.push((await rig.createInBlock()).id);
    }
    for (let part = 0; part < 10; part += 1) await rig.mine(190);
    const before = process.memoryUsage().heapUsed;
    await rig.startIndexer();
    await rig.caughtUp();
    expect(process.memoryUsage().heapUsed - before).to.be.below(300 * 1024 * 1024);
    expect(await rig.count("assets")).to.equal(5_010);
    for (const id of requests) expect((await rig.stateOf(id)).state).to.equal("Confirmed");
    const { rows } = await rig.pool.query(
      "select count(*) as count from chain.assets, chain.cursor where assets.block_number > cursor.final_number",
    );
    expect(rows[0]).to.deep.equal({ count: 0 });
  });
});
