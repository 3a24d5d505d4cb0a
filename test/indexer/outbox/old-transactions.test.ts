import { expect } from "chai";
import type { Hex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { calldataOf, type Rig, startRig } from "../../support/rigs/rig.ts";

describe("a transaction that was mined before the change of links was asked for", () => {
  let rig: Rig;
  let api: TestApi;
  let [parent, child]: AssetId[] = [];

  beforeEach(async () => {
    rig = await startRig({ confirmations: 1 });
    api = await startApi({
      database: rig.database,
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
    });
    await rig.startIndexer();
    const made = [];
    for (let count = 0; count < 2; count += 1) made.push(await rig.requestCreation());
    for (const { id } of made) {
      await mine((await rig.sign((await rig.find(id)).calldata)).raw);
      await rig.reach(id, "Confirmed");
    }
    [parent, child] = made.map(({ asset }) => asset);
  });
  afterEach(async () => {
    await api.stop();
    await rig.stop();
  });

  async function mine(raw: Hex): Promise<Hex> {
    const hash = await rig.send(raw);
    await rig.mine();
    await rig.caughtUp();
    return hash;
  }

  async function ask(kind: "link" | "revoke"): Promise<{ id: string; calldata: Hex }> {
    const method = kind === "link" ? "POST" : "PATCH";
    const { value } = await api.call(method, `/assets/${parent}/links`, {
      body: { targetAssetIds: [child] },
    });
    expect(value.state).to.equal("Received");
    return { id: value.transactionId, calldata: (await rig.find(value.transactionId)).calldata };
  }

  const submit = (id: string, body: object) => api.post(`/transactions/${id}/submit`, body, { key: null });
  const linked = async () => (await api.get(`/assets/${parent}/links`)).value.to.length;

  /** Asks, hands in what the wallet signed, and answers it once it is confirmed. */
  async function carryOut(kind: "link" | "revoke"): Promise<Hex> {
    return finish(await ask(kind));
  }

  async function finish({ id, calldata }: { id: string; calldata: Hex }): Promise<Hex> {
    const { raw } = await rig.sign(calldata);
    expect((await submit(id, { signedTransaction: raw })).status).to.equal(202);
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Confirmed");
    return raw;
  }

  /** Waits until the indexer has looked at a hash that was reported. */
  const lookedAt = (id: string) =>
    eventually(
      "an attempt to find the hash",
      async () =>
        (
          await rig.pool.query("select from service.reported_hashes where request_id = $1 and attempts > 0", [
            id,
          ])
        ).rowCount,
      (count) => count === 1,
    );

  async function expectUntouched(id: string): Promise<void> {
    await rig.mine(3);
    await rig.caughtUp();
    expect((await rig.find(id)).settled).to.equal(false);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
    expect((await rig.history(id)).map(({ state }) => state)).to.deep.equal(["Received"]);
  }

  it("does not confirm it by its bytes, of a link and of a revoke", async () => {
    const earlier = { link: await carryOut("link"), revoke: await carryOut("revoke") };
    for (const kind of ["link", "revoke"] as const) {
      const again = await ask(kind);
      const refused = await submit(again.id, { signedTransaction: earlier[kind] });
      expectError(refused, 409, "NONCE_TOO_LOW");
      await expectUntouched(again.id);
      await finish(again);
      expect(await linked()).to.equal(kind === "link" ? 1 : 0);
    }
  });

  it("does not confirm it by its hash, of a link and of a revoke made at the contract", async () => {
    const earlier: Hex[] = [];
    for (const kind of ["link", "revoke"] as const) {
      const { raw } = await rig.sign(calldataOf(parent as Hex, change(kind)));
      earlier.push(await mine(raw));
    }
    for (const [place, kind] of (["link", "revoke"] as const).entries()) {
      const again = await ask(kind);
      const transactionHash = earlier[place];
      expect((await submit(again.id, { transactionHash })).value.state).to.equal("Received");
      await lookedAt(again.id);
      await expectUntouched(again.id);
      await finish(again);
      expect(await linked()).to.equal(kind === "link" ? 1 : 0);
    }
  });

  it("does not fail it by one that was reverted, by its hash or its bytes", async () => {
    await carryOut("link");
    const { raw } = await rig.sign(calldataOf(parent as Hex, change("link")));
    const transactionHash = await mine(raw);
    expect((await rig.chain.getTransactionReceipt({ hash: transactionHash })).status).to.equal("reverted");
    await carryOut("revoke");
    const again = await ask("link");
    expect((await submit(again.id, { transactionHash })).status).to.equal(202);
    await lookedAt(again.id);
    expectError(await submit(again.id, { signedTransaction: raw }), 409, "NONCE_TOO_LOW");
    await expectUntouched(again.id);
    await finish(again);
    expect(await linked()).to.equal(1);
  });

  it("but one that was mined later, and reported then, is its own, carried out or reverted", async () => {
    await carryOut("link");
    await carryOut("revoke");
    const again = await ask("link");
    const transactionHash = await mine((await rig.sign(again.calldata)).raw);
    expect((await submit(again.id, { transactionHash })).status).to.equal(202);
    await rig.reach(again.id, "Confirmed");
    const ended = await ask("revoke");
    const short = await mine((await rig.sign(ended.calldata, { gas: 25_000n })).raw);
    await submit(ended.id, { transactionHash: short });
    await rig.reach(ended.id, "Submitted");
    await rig.mine(2);
    await rig.reach(ended.id, "RevokedByBlockchain");
  });

  it("and a reorg of the block at which it was asked for lowers what counts as before", async () => {
    await carryOut("link");
    await carryOut("revoke");
    const again = await ask("link");
    const before = (await rig.find(again.id)).afterBlock;
    expect(before).to.equal(Number((await rig.chain.getBlock()).number));
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.mine();
    await eventually(
      "a lower bound",
      async () => (await rig.find(again.id)).afterBlock,
      (bound) => bound !== undefined && bound < (before ?? 0),
    );
  });

  const change = (kind: "link" | "revoke") => ({ kind, targets: [{ child: child as AssetId, nth: 1 }] });
});
