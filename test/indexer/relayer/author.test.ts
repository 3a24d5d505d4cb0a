import { expect } from "chai";
import { encodeFunctionData, type Hex } from "viem";
import { inTransaction } from "../../../db/core/pool.ts";
import { storeRelay } from "../../../db/service/relays/relays.ts";
import { deadlineOf, gaslessTypedData, linkNonceOf } from "../../../domain/asset/gasless.ts";
import { addLinksTypedData } from "../../../domain/asset/typed-data.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { third } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

describe("the relayer, beside what the author does", () => {
  let rig: RelayerRig;
  beforeEach(async () => {
    rig = await startRelayerRig();
    await rig.fund(rig.author);
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  const states = async (id: string) => (await rig.history(id)).map(({ state }) => state);
  const reachAll = async (ids: string[], state: "Submitted" | "Committed") => {
    for (const id of ids) await rig.reach(id, state);
  };

  /** Two assets of the author's, and a request to link them that nobody has signed. */
  async function requestLink() {
    const [one, other] = [await rig.signedCreation(), await rig.signedCreation()];
    await reachAll([one.id, other.id], "Submitted");
    await rig.mine();
    await reachAll([one.id, other.id], "Committed");
    const [parent, child] = [one.asset, other.asset];
    const id = await rig.requestLinkChange(
      parent,
      { kind: "link", targets: [{ child, nth: 1 }] },
      rig.author,
    );
    return { id, parent, child };
  }

  /** The author sends the same call, with so much for the miner. */
  async function signOneself(id: string, tip: bigint): Promise<void> {
    const { calldata } = await rig.find(id);
    await rig.submit(id, await rig.sign(calldata, { account: rig.author, tip }));
  }

  async function confirmOneOfTwo(id: string): Promise<void> {
    await eventually("both in the pool", rig.pending, (count) => count === 2);
    await rig.mine();
    await rig.reach(id, "Committed");
    const { transactions } = await rig.chain.getBlock();
    const receipts = await Promise.all(transactions.map((hash) => rig.chain.getTransactionReceipt({ hash })));
    expect(receipts.map(({ status }) => status).toSorted()).to.deep.equal(["reverted", "success"]);
    await rig.mine(5);
    await rig.reach(id, "Confirmed");
    expect(await states(id)).to.not.include("RevokedByBlockchain");
  }

  for (const [first, tip] of [
    ["the author's transaction", 5_000_000_000n],
    ["the relayer's", 1n],
  ] as const) {
    it(`given both in one block, ${first} first: has one effect and one way of states`, async () => {
      const { id } = await rig.signedCreation();
      await signOneself(id, tip);
      await confirmOneOfTwo(id);
      expect(await rig.count("assets")).to.equal(1);
    });
  }

  it("given both for a link change: sends the author's alone, and leaves no signature in public", async () => {
    const { id } = await requestLink();
    await signOneself(id, 1n);
    // The API refuses this signature; the relayer does not rely on that.
    const signature = await rig.author.signTypedData(gaslessTypedData(await rig.find(id)));
    await inTransaction(rig.pool, (tx) => storeRelay(tx, { requestId: id, signature, estimatedCost: 1n }));
    await rig.waitsFor(id, "AUTHOR_SENDS");
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Committed");
    await rig.mine(5);
    await rig.reach(id, "Confirmed");
    expect(await rig.count("links")).to.equal(1);
    expect((await rig.attempts()).filter(({ request }) => request === id)).to.deep.equal([]);
    expect(await states(id)).to.not.include("RevokedByBlockchain");
  });

  it("given that the author's came first: sends nothing, or uses up the nonce", async () => {
    rig.holdBack();
    const { id } = await rig.signedCreation();
    await eventually("a plan", rig.attempts, (rows) => rows.length === 1);
    await rig.send((await rig.sign((await rig.find(id)).calldata, { account: rig.author })).raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    await eventually("a filler", rig.attempts, (rows) => rows.at(-1)?.filler === true);
    rig.liar.honest();
    await eventually("it in the pool", rig.pending, (count) => count === 1);
    await rig.mine(6);
    await rig.reach(id, "Confirmed");
    expect(await rig.sent()).to.equal(1);
  });

  it("says which error of the registry it was when its transaction reverts", async () => {
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    const { change } = await rig.find(id);
    if (change.kind !== "create") throw new Error("no creation");
    const args = [change.salt, change.details] as const;
    const data = encodeFunctionData({ abi: registryAbi, functionName: "cancelCreation", args });
    await rig.send((await rig.sign(data, { account: rig.author, tip: 5_000_000_000n })).raw);
    await rig.mine();
    await rig.reach(id, "RevokedByBlockchain");
    expect(await rig.stateOf(id)).to.deep.equal({
      state: "RevokedByBlockchain",
      reason: "CREATION_IS_CANCELLED",
    });
    await rig.mine(5);
    await eventually(
      "its end settled",
      () => rig.find(id),
      ({ settled }) => settled,
    );
  });

  it("given that the author used the nonce of a link change for another message: it is RevokedByUser", async () => {
    const { id, parent, child } = await requestLink();
    await rig.stopIndexer();
    await rig.relay(id);
    const deadline = deadlineOf(await rig.find(id));
    const other = { parent: child, children: [parent], nonce: linkNonceOf(id), deadline };
    const signature: Hex = await rig.author.signTypedData(addLinksTypedData(rig.registry, other));
    const data = encodeFunctionData({
      abi: registryAbi,
      functionName: "linkFor",
      args: [other.parent, other.children, other.nonce, deadline, signature],
    });
    await rig.send((await rig.sign(data, { account: third })).raw);
    await rig.mine();
    const before = await rig.sent();
    await rig.startIndexer();
    await rig.waitsFor(id, "NONCE_USED");
    expect((await rig.stateOf(id)).state).to.equal("TxSignatureSubmitted");
    await rig.mine(5);
    await rig.reach(id, "RevokedByUser");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByUser", reason: "NONCE_USED" });
    expect(await rig.find(id)).to.include({ settled: true });
    expect(await rig.sent()).to.equal(before);
  });

  it("ends no request that a transaction of the author's own can still carry out", async () => {
    const { id, asset } = await rig.requestCreation(undefined, rig.author);
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { account: rig.author, nonce: 1 }));
    await rig.relay(id, third);
    await rig.waitsFor(id, "SIGNATURE_INVALID");
    await rig.mine(6);
    await rig.caughtUp();
    await rig.chain.increaseTime({ seconds: 700 });
    await rig.mine(6);
    await rig.caughtUp();
    expect((await rig.stateOf(id)).state).to.equal("Submitted");
    await rig.send((await rig.sign("0x", { account: rig.author, nonce: 0, to: third.address })).raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await rig.isIndexed(asset)).to.equal(true);
  });
});
