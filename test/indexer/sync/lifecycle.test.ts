import { expect } from "chai";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { standingLinks } from "../../support/database/standing-links.ts";
import { eventually } from "../../support/eventually.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

describe("a request on its way to the chain", () => {
  let rig: Rig;

  before(async () => {
    rig = await startRig();
    await rig.startIndexer();
  });
  after(() => rig.stop());

  const states = async (id: string) => (await rig.history(id)).map(({ state }) => state);

  /** Creates an asset and waits until a block holds it. */
  async function createAsset() {
    const creation = await rig.requestCreation();
    await rig.submit(creation.id, await rig.sign((await rig.find(creation.id)).calldata));
    await rig.reach(creation.id, "Submitted");
    await rig.mine();
    await rig.reach(creation.id, "Committed");
    return creation;
  }

  describe("given a signed transaction", () => {
    it("goes from Received through each state to Confirmed, and its history says when", async () => {
      const { id, asset } = await rig.requestCreation();
      expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
      const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
      await rig.reach(id, "Submitted");
      await rig.mine();
      const committed = await rig.reach(id, "Committed");
      expect(committed).to.include({ transactionHash: hash, confirmations: 1, assetId: asset });
      await rig.mine(3);
      await rig.caughtUp();
      expect(await rig.stateOf(id)).to.deep.equal({ state: "Committed" });
      await rig.mine();
      const confirmed = await rig.reach(id, "Confirmed");
      expect(confirmed).to.include({ confirmations: 5, settled: true });
      expect(await states(id)).to.deep.equal([
        "Received",
        "TxSignatureSubmitted",
        "Submitted",
        "Committed",
        "Confirmed",
      ]);
      expect(rig.logged.find((line) => line.hash === hash)).to.include({ asset });
      expect(JSON.stringify(rig.logged), "the id is a capability").not.to.include(id);
    });

    it("sends it again when the node has dropped it", async () => {
      const { id } = await rig.requestCreation();
      const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
      await rig.reach(id, "Submitted");
      await rig.anvil.rpc("anvil_dropTransaction", [hash]);
      await eventually(
        "the transaction in the node's pool",
        () => rig.anvil.rpc<unknown>("eth_getTransactionByHash", [hash]),
        (found) => found !== null,
      );
      await rig.mine();
      await rig.reach(id, "Committed");
    });

    it("sends several transactions of one author in the order of their nonces", async () => {
      const first = await rig.requestCreation();
      const second = await rig.requestCreation();
      const signed = await rig.sign((await rig.find(first.id)).calldata);
      await rig.submit(first.id, signed);
      await rig.submit(
        second.id,
        await rig.sign((await rig.find(second.id)).calldata, { nonce: signed.nonce + 1 }),
      );
      await Promise.all([first, second].map(({ id }) => rig.reach(id, "Submitted")));
      await rig.mine();
      await Promise.all([first, second].map(({ id }) => rig.reach(id, "Committed")));
    });

    it("is given up where the author cannot pay", async () => {
      const { privateKeyToAccount, generatePrivateKey } = await import("viem/accounts");
      const poor = privateKeyToAccount(generatePrivateKey());
      const { id } = await rig.requestCreation(undefined, poor);
      await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { account: poor }));
      await rig.giveUp(id);
      expect(await rig.stateOf(id)).to.deep.equal({
        state: "RevokedByTxServer",
        reason: "INSUFFICIENT_FUNDS",
      });
    });
  });

  describe("given a wallet that sends by itself", () => {
    it("follows the event, though nobody reported a hash", async () => {
      const { id } = await rig.requestCreation();
      const { raw } = await rig.sign((await rig.find(id)).calldata);
      const hash = await rig.send(raw);
      await rig.mine();
      expect(await rig.reach(id, "Committed")).to.include({ transactionHash: hash });
    });

    it("shows Submitted for a reported hash that the node has as the generated call", async () => {
      const { id } = await rig.requestCreation();
      const hash = await rig.send((await rig.sign((await rig.find(id)).calldata)).raw);
      await rig.reportHash(id, hash);
      expect(await rig.reach(id, "Submitted")).to.include({ transactionHash: hash });
      await rig.mine();
      await rig.reach(id, "Committed");
    });

    it("believes no hash of another transaction", async () => {
      const foreign = await rig.requestCreation(undefined, other);
      const hash = await rig.send(
        (await rig.sign((await rig.find(foreign.id)).calldata, { account: other })).raw,
      );
      const [x, z] = [await rig.requestCreation(), await rig.requestCreation()];
      await rig.reportHash(x.id, hash);
      await rig.reportHash(z.id, hash);
      await rig.mine();
      await rig.reach(foreign.id, "Committed");
      await rig.mine();
      await rig.caughtUp();
      for (const { id } of [x, z]) expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
    });

    it("follows a transaction that was sped up, and lists both hashes", async () => {
      const { id } = await rig.requestCreation();
      const { calldata } = await rig.find(id);
      const slow = await rig.sign(calldata);
      const slowHash = await rig.submit(id, slow);
      await rig.reach(id, "Submitted");
      const fast = await rig.sign(calldata, { nonce: slow.nonce, tip: 5_000_000_000n });
      const fastHash = await rig.send(fast.raw);
      await rig.mine();
      const committed = await rig.reach(id, "Committed");
      expect(committed.transactionHash).to.equal(fastHash);
      const hashes = (await rig.history(id)).map(({ transactionHash }) => transactionHash);
      expect(hashes).to.include.members([slowHash, fastHash]);
    });

    it("is RevokedByUser when the wallet cancelled it, for good after the confirmations", async () => {
      const { id } = await rig.requestCreation();
      const signed = await rig.sign((await rig.find(id)).calldata);
      await rig.submit(id, signed);
      await rig.reach(id, "Submitted");
      await rig.send(
        (await rig.sign("0x", { nonce: signed.nonce, to: owner.address, tip: 5_000_000_000n })).raw,
      );
      await rig.mine();
      const cancelled = await rig.reach(id, "RevokedByUser");
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByUser", reason: "NONCE_USED" });
      expect(cancelled.settled).to.equal(false);
      await rig.mine(5);
      await rig.caughtUp();
      expect(await rig.find(id)).to.include({ settled: true });
      const again = await rig.requestCreation();
      await rig.submit(again.id, await rig.sign((await rig.find(again.id)).calldata));
      await rig.reach(again.id, "Submitted");
      await rig.mine();
      await rig.reach(again.id, "Committed");
    });
  });

  describe("given a transaction that the chain executed in vain", () => {
    it("a: a link by somebody else is RevokedByBlockchain with NOT_AUTHOR, and nothing is linked", async () => {
      const [parent, child] = [await createAsset(), await createAsset()];
      const id = await rig.requestLinkChange(
        parent.asset,
        { kind: "link", targets: [{ child: child.asset, nth: 1 }] },
        third,
      );
      await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { account: third }));
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "RevokedByBlockchain");
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByBlockchain", reason: "NOT_AUTHOR" });
      expect(await standingLinks(rig.pool, parent.asset)).to.deep.equal({ from: [], to: [] });
    });

    it("b: a creation with too little gas is RevokedByBlockchain with OUT_OF_GAS", async () => {
      const { id } = await rig.requestCreation();
      await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { gas: 60_000n }));
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "RevokedByBlockchain");
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByBlockchain", reason: "OUT_OF_GAS" });
    });
  });

  describe("given a request for links", () => {
    it("is Committed when every link stands, and a revocation when every link is gone", async () => {
      const [parent, one, two] = [await createAsset(), await createAsset(), await createAsset()];
      const targets = [one, two].map(({ asset }) => ({ child: asset, nth: 1 }));
      const link = await rig.requestLinkChange(parent.asset, { kind: "link", targets });
      await rig.submit(link, await rig.sign((await rig.find(link)).calldata));
      await rig.reach(link, "Submitted");
      await rig.mine();
      await rig.reach(link, "Committed");
      expect(await standingLinks(rig.pool, parent.asset)).to.deep.equal({
        from: [],
        to: [one.asset, two.asset],
      });
      expect(await standingLinks(rig.pool, one.asset)).to.deep.equal({ from: [parent.asset], to: [] });

      const revoke = await rig.requestLinkChange(parent.asset, { kind: "revoke", targets });
      expect(await rig.stateOf(revoke)).to.deep.equal({ state: "Received" });
      await rig.submit(revoke, await rig.sign((await rig.find(revoke)).calldata));
      await rig.reach(revoke, "Submitted");
      await rig.mine();
      await rig.reach(revoke, "Committed");
      expect(await standingLinks(rig.pool, parent.asset)).to.deep.equal({ from: [], to: [] });

      const again = await rig.requestLinkChange(parent.asset, {
        kind: "link",
        targets: [{ child: one.asset, nth: 2 }],
      });
      expect(await rig.stateOf(again)).to.deep.equal({ state: "Received" });
      await rig.submit(again, await rig.sign((await rig.find(again)).calldata));
      await rig.reach(again, "Submitted");
      await rig.mine();
      await rig.reach(again, "Committed");
      expect(await rig.stateOf(link))
        .to.have.property("state")
        .that.is.oneOf(["Committed", "Confirmed"]);
    });
  });

  it("expires when nobody signs it in time", async () => {
    const { id } = await rig.requestCreation();
    await rig.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
    await rig.reach(id, "RevokedByTxServer");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
  });

  it("is Committed though it expired, when its transaction is mined all the same", async () => {
    const { id } = await rig.requestCreation();
    const { raw } = await rig.sign((await rig.find(id)).calldata);
    await rig.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
    await rig.reach(id, "RevokedByTxServer");
    await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "Committed");
  });
});
