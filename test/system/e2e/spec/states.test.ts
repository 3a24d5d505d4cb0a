import { expect } from "chai";
import { refusalTypedData } from "../../../../domain/asset/typed-data.ts";
import { assetStates } from "../../../../domain/request/state.ts";
import { owner, third } from "../../../support/chain/accounts.ts";
import { type Service, startService } from "../../../support/service.ts";

describe("docs/spec.md §3: states and transitions", () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const request = async () =>
    (await service.post("/assets/", { name: "Lease", author: owner.address })).value;
  const stateOf = async (id: string) => (await service.get(`/assets/${id}/status`)).value.state;

  it("has these values, exactly", () => {
    expect(assetStates).to.deep.equal([
      "Received",
      "Submitted",
      "Committed",
      "Confirmed",
      "TxSignatureSubmitted",
      "RevokedByTxServer",
      "RevokedByUser",
      "RevokedByBlockchain",
    ]);
  });

  it("Received: when the request is accepted", async () => {
    const { id, state } = await request();
    expect(state).to.equal("Received");
    expect(await stateOf(id)).to.equal("Received");
  });

  it("TxSignatureSubmitted, Submitted, Committed, Confirmed: as the transaction goes its way", async () => {
    const { id, transactionId } = await request();
    await service.rig.stopIndexer();
    expect((await service.approve(transactionId)).value.state).to.equal("TxSignatureSubmitted");
    expect(await stateOf(id)).to.equal("TxSignatureSubmitted");
    await service.rig.startIndexer();
    await service.rig.reach(transactionId, "Submitted");
    expect(await stateOf(id)).to.equal("Submitted");
    await service.rig.mine();
    await service.rig.reach(transactionId, "Committed");
    expect(await stateOf(id)).to.equal("Committed");
    await service.rig.mine(4);
    await service.rig.reach(transactionId, "Confirmed");
    const { value } = await service.get(`/assets/${id}/status`);
    expect(value).to.include({ state: "Confirmed", confirmations: 5, requiredConfirmations: 5 });
    expect(value.history.map(({ state }: { state: string }) => state)).to.deep.equal([
      "Received",
      "TxSignatureSubmitted",
      "Submitted",
      "Committed",
      "Confirmed",
    ]);
  });

  it("RevokedByUser: when the author refuses", async () => {
    const { id, transactionId } = await request();
    const signature = await owner.signTypedData(
      refusalTypedData(service.registry, { transactionId, asset: id }),
    );
    const { value } = await service.post(`/transactions/${transactionId}/revoke`, { signature });
    expect(value.state).to.equal("RevokedByUser");
    expect(await stateOf(id)).to.equal("RevokedByUser");
  });

  it("RevokedByTxServer: when nobody signs in time", async () => {
    const { id, transactionId } = await request();
    await service.pool.query("update service.requests set expires_at = now() where id = $1", [transactionId]);
    expect(await stateOf(id)).to.equal("RevokedByTxServer");
  });

  it("RevokedByBlockchain: when the chain executes it in vain", async () => {
    const { id, transactionId } = await request();
    const { value } = await service.get(`/transactions/${transactionId}`);
    // Forced past the check of the API.
    await service.rig.submit(transactionId, await service.rig.sign(value.data, { gas: 60_000n }));
    await service.rig.reach(transactionId, "Submitted");
    await service.rig.mine();
    await service.rig.reach(transactionId, "RevokedByBlockchain");
    const status = await service.get(`/assets/${id}/status`);
    expect(status.value).to.include({ state: "RevokedByBlockchain", reason: "OUT_OF_GAS" });
  });

  it("fact 1: a transaction is generated for the author address", async () => {
    const { transactionId } = await request();
    const { value } = await service.get(`/transactions/${transactionId}`);
    expect(value).to.include({ signer: owner.address, to: service.registry.address, chainId: 31_337 });
  });

  it("fact 2: nothing is on the chain until the owner has signed", async () => {
    const { id, transactionId } = await request();
    await service.rig.mine(2);
    await service.rig.caughtUp();
    expect(await stateOf(id)).to.equal("Received");
    const forged = await service.rig.sign((await service.get(`/transactions/${transactionId}`)).value.data, {
      account: third,
    });
    const { status, error } = await service.post(`/transactions/${transactionId}/submit`, {
      signedTransaction: forged.raw,
    });
    expect([status, error?.code]).to.deep.equal([422, "SIGNER_MISMATCH"]);
    expect(await stateOf(id)).to.equal("Received");
  });

  it("fact 3: the current state is read through the status operation", async () => {
    const { id } = await service.createAsset();
    expect(await stateOf(id)).to.equal("Committed");
  });
});
