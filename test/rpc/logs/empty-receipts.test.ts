import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("a node that calls the receipts of a block that it lacks an empty list", () => {
  let rig: LiarRig;
  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  it("is not believed where the block's bloom filter says that there are logs", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    const before = await rig.position();
    for (const method of ["eth_getLogs", "eth_getBlockReceipts"]) rig.liar.on(method, () => ({ result: [] }));
    const { asset } = await rig.createInBlock();
    await eventually(
      "several looks at the receipts",
      async () => rig.liar.callsOf("eth_getBlockReceipts").length,
      (calls) => calls >= 3,
    );
    expect(await rig.position()).to.equal(before);
    rig.liar.honest();
    await rig.indexed(asset);
  });
});
