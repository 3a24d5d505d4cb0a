import { expect } from "chai";
import type { Hex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { findAsset } from "../../support/database/find-asset.ts";
import { standingLinks } from "../../support/database/standing-links.ts";
import { eventually } from "../../support/eventually.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

describe("a reorg", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  /** Replaces the newest `depth` blocks; each raw transaction goes into the new block with that offset. */
  const reorg = (depth: number, transactions: [Hex, number][] = []) =>
    rig.anvil.rpc("anvil_reorg", [depth, transactions]);

  const states = async (id: string) => (await rig.history(id)).map(({ state }) => state);

  const blockHashOf = async (id: string) => {
    const { blockNumber } = await rig.find(id);
    const { rows } = await rig.pool.query<{ hash: Buffer }>(
      "select hash from chain.blocks where number = $1",
      [blockNumber],
    );
    return rows[0]?.hash.toString("hex");
  };

  /** Creates an asset through the service, in a block. */
  async function commit() {
    const creation = await rig.requestCreation();
    const signed = await rig.sign((await rig.find(creation.id)).calldata);
    await rig.submit(creation.id, signed);
    await rig.reach(creation.id, "Submitted");
    await rig.mine();
    await rig.reach(creation.id, "Committed");
    return { ...creation, raw: signed.raw };
  }

  /** Every block that the index holds is the chain's block at that height. */
  async function expectCanonical() {
    const { rows } = await rig.pool.query<{ number: number; hash: Buffer }>(
      "select number, hash from chain.blocks",
    );
    expect(rows).to.not.be.empty;
    for (const { number, hash } of rows) {
      const block = await rig.chain.getBlock({ blockNumber: BigInt(number) });
      expect(`0x${hash.toString("hex")}`, `block ${number}`).to.equal(block.hash);
    }
  }

  it("follows a transaction that was mined again in another block", async () => {
    const { id, asset, raw } = await commit();
    const before = await blockHashOf(id);
    await rig.mine();
    await rig.caughtUp();
    await reorg(2, [[raw, 1]]);
    await rig.caughtUp();
    await rig.reach(id, "Committed");
    expect(await blockHashOf(id)).to.not.equal(before);
    expect((await rig.find(id)).confirmations).to.equal(1);
    const { rows } = await rig.pool.query("select id from chain.assets");
    expect(rows.map((row) => `0x${row.id.toString("hex")}`)).to.deep.equal([asset]);
    await expectCanonical();
  });

  it("takes a removed creation back to Submitted, sends it again and sees it mined anew", async () => {
    const { id, asset } = await commit();
    await rig.mine(2);
    await rig.caughtUp();
    await reorg(3);
    await rig.reach(id, "Submitted");
    expect(await findAsset(rig.pool, asset)).to.equal(undefined);
    const { transactionHash } = await rig.find(id);
    await eventuallyPending(transactionHash);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect((await states(id)).slice(-3)).to.deep.equal(["Committed", "Submitted", "Committed"]);
    await expectCanonical();
  });

  it("keeps a creation Submitted whose transaction only the wallet holds", async () => {
    const { id } = await rig.requestCreation();
    const { raw } = await rig.sign((await rig.find(id)).calldata);
    await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    await rig.mine(2);
    await rig.caughtUp();
    await reorg(3);
    await rig.reach(id, "Submitted");
    await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await states(id)).to.deep.equal(["Received", "Committed", "Submitted", "Committed"]);
  });

  it("heals when it removes what was final", async () => {
    const { id } = await commit();
    await rig.mine(4);
    await rig.reach(id, "Confirmed");
    await rig.mine(2);
    await rig.caughtUp();
    await reorg(7);
    await rig.mine(3);
    await rig.reach(id, "Submitted");
    await eventuallyPending((await rig.find(id)).transactionHash);
    await rig.mine();
    await rig.reach(id, "Committed");
    const { rows } = await rig.pool.query("select count(*) as count from chain.assets");
    expect(rows[0]).to.deep.equal({ count: 1 });
    expect((await states(id)).slice(-3)).to.deep.equal(["Confirmed", "Submitted", "Committed"]);
    await expectCanonical();
  });

  it("restores a link whose revocation was removed", async () => {
    const [a, b] = [await commit(), await commit()];
    const targets = [{ child: b.asset, nth: 1 }];
    await change({ kind: "link", targets });
    expect(await links(a.asset)).to.deep.equal([b.asset]);
    const revoke = await change({ kind: "revoke", targets });
    expect(await links(a.asset)).to.deep.equal([]);

    await rig.stopIndexer();
    await reorg(1);
    await rig.startIndexer();
    await rig.reach(revoke.id, "Submitted");
    expect(await links(a.asset)).to.deep.equal([b.asset]);
    expect(await standingLinks(rig.pool, b.asset)).to.deep.equal({ from: [a.asset], to: [] });
    await eventuallyPending(revoke.hash);
    await rig.mine();
    await rig.reach(revoke.id, "Committed");
    expect(await links(a.asset)).to.deep.equal([]);
    await expectCanonical();

    async function change(asked: Parameters<Rig["requestLinkChange"]>[1]) {
      const id = await rig.requestLinkChange(a.asset, asked);
      const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      return { id, hash };
    }
  });

  it("lets the other of two transactions with one nonce win", async () => {
    const [x, y] = [await rig.requestCreation(), await rig.requestCreation()];
    const forX = await rig.sign((await rig.find(x.id)).calldata);
    const forY = await rig.sign((await rig.find(y.id)).calldata, { nonce: forX.nonce, tip: 9_000_000_000n });
    await rig.submit(x.id, forX);
    await rig.reach(x.id, "Submitted");
    await rig.submit(y.id, forY);
    await rig.reach(y.id, "Submitted");
    await rig.mine();
    await rig.reach(y.id, "Committed");
    await rig.reach(x.id, "RevokedByUser");
    await reorg(1, [[forX.raw, 0]]);
    await rig.reach(x.id, "Committed");
    await rig.reach(y.id, "RevokedByUser");
  });

  it("is not a node whose head goes back without another block", async () => {
    const { id } = await commit();
    await rig.mine(3);
    await rig.caughtUp();
    const snapshot = await rig.anvil.rpc("evm_snapshot");
    await rig.mine(3);
    await rig.caughtUp();
    await rig.anvil.rpc("evm_revert", [snapshot]);
    const history = await states(id);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await states(id)).to.deep.equal(history);
    await rig.mine(4);
    await rig.caughtUp();
    await expectCanonical();
  });

  it("stops the writing, keeps the data and says why when no kept block is on the chain", async () => {
    const { asset } = await commit();
    await rig.mine();
    await rig.caughtUp();
    await rig.pool.query("update chain.blocks set hash = sha256(hash)");
    await rig.pool.query("update chain.cursor set block_hash = sha256(block_hash)");
    await rig.mine();
    const halted = async () =>
      (await rig.pool.query("select halted_reason from chain.cursor")).rows[0]?.halted_reason;
    const reason = await eventually("the halt", halted, (text) => text !== null);
    expect(reason).to.match(/shares none of the blocks/);
    expect(await findAsset(rig.pool, asset)).to.have.property("id", asset);
  });

  const links = async (id: AssetId) => (await standingLinks(rig.pool, id)).to;

  async function eventuallyPending(hash: Hex | undefined) {
    await eventually(
      "the transaction in the node's pool",
      () => rig.anvil.rpc<unknown>("eth_getTransactionByHash", [hash]),
      (found) => found !== null,
    );
  }
});
