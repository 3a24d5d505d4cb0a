import { expect } from "chai";
import { deferredIndexesMissing } from "../../../db/chain/deferred-indexes.ts";
import { createNoise } from "../../support/chain/strict-provider.ts";
import { eventually } from "../../support/eventually.ts";
import { type StrictRig, startStrictRig } from "../../support/rigs/strict-rig.ts";

const events = 10_000;
const inTransaction = 50;

describe("a provider that allows 10 blocks, 3 calls in a batch and 20 calls a second, in words of no meaning", () => {
  let rig: StrictRig;
  const noise = createNoise(17);
  const rejection = () => ({ error: { code: -32_000, message: noise() } });

  beforeEach(async () => {
    rig = await startStrictRig(
      { range: 10, batch: 3, callsPerSecond: 20 },
      { range: rejection, batch: rejection, rate: rejection, other: rejection },
    );
  });
  afterEach(() => rig.stop());

  it("is read to its end, with each of 10,000 events once", async function () {
    this.timeout(400_000);
    for (let made = 0; made < events; made += inTransaction) {
      await rig.createTogether(inTransaction);
      if (made % (2 * inTransaction) === 0) await rig.mine();
    }
    await rig.mine(140);
    const begun = performance.now();
    await rig.startIndexer();
    await rig.holds(events, 300);
    const seconds = (performance.now() - begun) / 1_000;
    const { calls, rejectedForPace } = rig.provider.counts;
    expect(calls / seconds, "calls a second, rejected ones too").to.be.below(40);
    expect(rejectedForPace / calls, "share that came too early").to.be.below(0.3);
    expect(rig.provider.largest).to.deep.equal({ batch: 3, range: 10 });
    await rig.caughtUp(120);
    await eventually(
      "the indexes that the filling put off",
      () => deferredIndexesMissing(rig.pool),
      (lacks) => !lacks,
    );
    const { rows } = await rig.pool.query("select count(distinct id) as ids from chain.assets");
    expect(Number(rows[0].ids)).to.equal(events);
  });
});
