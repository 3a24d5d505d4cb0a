import { expect } from "chai";
import { keccak256, type LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("the transactions of many authors", () => {
  const poor = privateKeyToAccount(generatePrivateKey());
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
  });
  afterEach(() => rig.stop());

  async function signed(account: LocalAccount = owner) {
    const { id } = await rig.requestCreation(undefined, account);
    const one = await rig.sign((await rig.find(id)).calldata, { account });
    await rig.submit(id, one);
    return { id, raw: one.raw, hash: keccak256(one.raw) };
  }

  it("are sent together, and what the node rejects of one author stops nobody else's", async () => {
    const taken = [await signed(owner), await signed(other), await signed(third)];
    const rejected = await signed(poor);
    await rig.startIndexer();
    for (const { id } of taken) await rig.reach(id, "Submitted");
    const sent = rig.liar.callsOf("eth_sendRawTransaction").map(({ params }) => params[0]);
    for (const { raw } of taken) expect(sent.filter((one) => one === raw)).to.have.length(1);
    // The rejected one goes alone once more, to learn why.
    expect(sent.filter((one) => one === rejected.raw)).to.have.length.within(2, 4);
    await rig.giveUp(rejected.id);
    expect((await rig.stateOf(rejected.id)).reason).to.equal("INSUFFICIENT_FUNDS");
    expect(await rig.history(rejected.id)).to.have.length(3);
  });

  it("are sent one by one to a node that takes no batches", async () => {
    const all = [await signed(owner), await signed(other), await signed(third)];
    rig.liar.onBatch(() => ({ error: { code: -32_600, message: "no batches" } }));
    await rig.startIndexer();
    for (const { id } of all) await rig.reach(id, "Submitted");
    await rig.mine();
    for (const { id } of all) await rig.reach(id, "Committed");
  });

  it("are sent one by one to a node that loses an answer of each batch", async () => {
    const all = [await signed(owner), await signed(other), await signed(third)];
    rig.liar.onBatch((answers) => answers.slice(1));
    await rig.startIndexer();
    for (const { id } of all) await rig.reach(id, "Submitted");
    rig.liar.honest();
    await rig.mine();
    for (const { id } of all) await rig.reach(id, "Committed");
  });

  it("need no receipt where their block has shown what they made", async () => {
    const all = [await signed(owner), await signed(other), await signed(third)];
    await rig.startIndexer();
    for (const { id } of all) await rig.reach(id, "Submitted");
    await rig.mine();
    for (const { id } of all) await rig.reach(id, "Committed");
    expect(rig.liar.callsOf("eth_getTransactionReceipt")).to.have.length(0);
    // Behind one that came to nothing there is no event, so its receipt is read.
    const { id } = await rig.requestCreation();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { gas: 60_000n }));
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "RevokedByBlockchain");
    expect(rig.liar.callsOf("eth_getTransactionReceipt")).to.have.length.above(0);
  });
});
