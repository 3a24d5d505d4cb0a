import { expect } from "chai";
import { parseEther } from "viem";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

describe("the relayer's fees and the tenant's budget", () => {
  let rig: RelayerRig;
  beforeEach(async () => {
    // Enough for a creation at the chain's usual fees.
    rig = await startRelayerRig({ dailyBudget: parseEther("0.002") });
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  async function mineAt(baseFeePerGas: bigint, blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
      await rig.mine();
    }
    await rig.caughtUp();
  }
  const dear = 100_000_000_000n;
  const cheap = 1_000_000_000n;

  it("raises no fee over the budget: it waits, says why, and is mined when the chain is cheaper", async () => {
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    await mineAt(dear, 4);
    await rig.waitsFor(id, "OVER_BUDGET");
    expect(await rig.attempts()).to.have.length(1);
    await mineAt(cheap, 1);
    await eventually("it in the pool", rig.pending, (count) => count === 1);
    await mineAt(cheap, 1);
    await rig.reach(id, "Committed");
    expect(await rig.attempts()).to.have.length(1);
  });

  it("keeps nobody else waiting for that: it gives up the nonce, and gets another", async () => {
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    const { id: behind } = await rig.requestCreation(undefined, rig.author);
    await rig.pool.query("update service.requests set tenant = 'another' where id = $1", [behind]);
    await rig.relay(behind);
    await rig.reach(behind, "Submitted");
    await mineAt(dear, 4);
    await eventually("a filler", rig.attempts, (rows) =>
      rows.some(({ nonce, filler }) => nonce === 0 && filler),
    );
    await mineAt(cheap, 1);
    await eventually("the filler and the other in the pool", rig.pending, (count) => count === 2);
    await mineAt(cheap, 1);
    await rig.reach(behind, "Committed");
    await rig.mine(5);
    await eventually("another nonce", rig.attempts, (rows) => rows.at(-1)?.nonce === 2);
    await eventually("it in the pool", rig.pending, (count) => count === 1);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await rig.sent()).to.equal(3);
    expect(await rig.count("assets")).to.equal(2);
  });
});
