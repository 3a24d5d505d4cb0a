import { expect } from "chai";
import { other, owner, third } from "../../../support/chain/accounts.ts";
import { type Service, startService } from "../../../support/service.ts";

describe("docs/spec.md §4 to §9: endpoints, authentication, errors", () => {
  let service: Service;
  let alice: string;
  let bob: string;

  before(async () => {
    service = await startService();
    alice = await service.token("alice");
    bob = await service.token("bob");
  });
  after(() => service.stop());

  /** Connects an account to the user of a token. */
  async function connect(bearer: string, account: typeof owner) {
    const { value: record } = await service.post("/wallets/", {}, { bearer, key: null });
    const signature = await account.signTypedData(JSON.parse(record.serializedValue));
    return service.post(
      `/wallets/${record.id}/confirm`,
      { ethereumAddress: account.address, signature },
      { bearer, key: null },
    );
  }

  it("4.1 POST /assets/: generates a transaction; the asset exists after the owner signed it", async () => {
    const { status, value } = await service.post("/assets/", { name: "Lease", author: owner.address });
    expect(status).to.equal(202);
    expect((await service.get(`/assets/${value.id}/status`)).value.state).to.equal("Received");
    await service.carryOut(value.transactionId);
    expect((await service.get(`/assets/${value.id}`)).value).to.include({ id: value.id, state: "Committed" });
  });

  it("4.2 GET /assets/{assetId}/status: looks up the state of an asset being created", async () => {
    const { value } = await service.post("/assets/", { name: "Lease", author: owner.address });
    const { status, value: found } = await service.get(`/assets/${value.id}/status`);
    expect(status).to.equal(200);
    expect(found).to.include({ id: value.id, state: "Received", transactionId: value.transactionId });
  });

  it("4.3 POST /assets/{assetId}/links: links the parent to targets, by its owner only", async () => {
    const [parent, child] = [await service.createAsset(), await service.createAsset({}, other)];
    const { status, value } = await service.post(`/assets/${parent.id}/links`, {
      targetAssetIds: [child.id],
    });
    expect(status).to.equal(202);
    expect(value).to.include({ id: parent.id, state: "Received" });
    const { value: toSign } = await service.get(`/transactions/${value.transactionId}`);
    expect(toSign.signer).to.equal(owner.address);
  });

  it("4.3 the body field is targetAssetIds; linkedAssetIds gets a hint at it", async () => {
    const { id } = await service.createAsset();
    const { status, error } = await service.post(`/assets/${id}/links`, { linkedAssetIds: [id] });
    expect(status).to.equal(400);
    expect(JSON.stringify(error?.details)).to.contain("targetAssetIds");
  });

  it("4.4 GET /assets/{assetId}/links: lists both directions", async () => {
    const { id } = await service.createAsset();
    expect((await service.get(`/assets/${id}/links`)).value).to.deep.equal({ from: [], to: [] });
  });

  it("4.5 PATCH /assets/{assetId}/links: revokes links, which may then be made again", async () => {
    const [a, b] = [await service.createAsset(), await service.createAsset()];
    const path = `/assets/${a.id}/links`;
    const body = { targetAssetIds: [b.id] };
    for (const [call, to] of [
      ["post", [b.id]],
      ["patch", []],
      ["post", [b.id]],
    ] as const) {
      const { status, value } = await service[call](path, body);
      expect(status).to.equal(202);
      await service.carryOut(value.transactionId);
      expect((await service.get(path)).value).to.deep.equal({ from: [], to });
    }
  });

  it("4.5 PATCH removes outgoing links only", async () => {
    const [a, b] = [await service.createAsset(), await service.createAsset()];
    const link = await service.post(`/assets/${a.id}/links`, { targetAssetIds: [b.id] });
    await service.carryOut(link.value.transactionId);
    const { status, error } = await service.patch(`/assets/${b.id}/links`, { targetAssetIds: [a.id] });
    expect([status, error?.code]).to.deep.equal([409, "NOT_LINKED"]);
  });

  it("4.6, 4.7, 4.8 wallets: are initialised, listed and removed by their user", async () => {
    const { status, value: wallet } = await connect(alice, owner);
    expect(status).to.be.oneOf([200, 201]);
    const listed = await service.get("/wallets/", { bearer: alice, key: null });
    expect(listed.value).to.deep.equal([wallet]);
    expect((await service.get("/wallets/", { bearer: bob, key: null })).value).to.deep.equal([]);

    const taken = await connect(bob, owner);
    expect([taken.status, taken.error?.code]).to.deep.equal([409, "WALLET_TAKEN"]);
    const foreign = await service.remove(`/wallets/${wallet.id}`, { bearer: bob, key: null });
    expect(foreign.status).to.equal(404);

    const removed = await service.remove(`/wallets/${wallet.id}`, { bearer: alice, key: null });
    expect([removed.status, removed.value]).to.deep.equal([200, null]);
    const moved = await connect(bob, owner);
    expect(moved.value.ethereumAddress).to.equal(owner.address);
    await service.remove(`/wallets/${moved.value.id}`, { bearer: bob, key: null });
  });

  it("5 asset operations: need X-API-KEY; a bearer is optional", async () => {
    const body = { name: "Lease", author: third.address };
    const without = await service.post("/assets/", body, { key: null });
    expect([without.status, without.error?.code]).to.deep.equal([401, "API_KEY_MISSING"]);
    expect((await service.post("/assets/", body)).status).to.equal(202);
    await connect(alice, third);
    expect((await service.post("/assets/", body, { bearer: alice })).status).to.equal(202);
  });

  it("5 wallet operations: need the identity token; the key alone does not do", async () => {
    for (const { status, error } of [
      await service.get("/wallets/"),
      await service.post("/wallets/", {}),
      await service.remove("/wallets/0b0c2f5e-9a35-4f4c-8d39-0c2b2f8fd9a1"),
    ]) {
      expect([status, error?.code]).to.deep.equal([401, "IDENTITY_TOKEN_MISSING"]);
    }
  });

  it("5 rule 1: nobody links another's asset", async () => {
    const [parent, child] = [await service.createAsset(), await service.createAsset({}, other)];
    const asBob = await service.post(
      `/assets/${parent.id}/links`,
      { targetAssetIds: [child.id] },
      { bearer: bob },
    );
    expect([asBob.status, asBob.error?.code]).to.deep.equal([403, "AUTHOR_NOT_YOURS"]);
    const { value } = await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
    const { value: toSign } = await service.get(`/transactions/${value.transactionId}`);
    const forged = await service.rig.sign(toSign.data, { account: other });
    const { error } = await service.post(`/transactions/${value.transactionId}/submit`, {
      signedTransaction: forged.raw,
    });
    expect(error?.code).to.equal("SIGNER_MISMATCH");
    expect((await service.get(`/assets/${parent.id}/links`)).value).to.deep.equal({ from: [], to: [] });
  });

  it("5 rule 2: the identity token goes into Authorization: Bearer", async () => {
    expect((await service.get("/wallets/", { bearer: bob, key: null })).status).to.equal(200);
  });

  it("6 events: state is read by polling, and the history keeps what was missed", async () => {
    const { id } = await service.createAsset();
    const { value } = await service.get(`/assets/${id}/status`);
    expect(value.history.map(({ state }: { state: string }) => state)).to.deep.equal([
      "Received",
      "TxSignatureSubmitted",
      "Submitted",
      "Committed",
    ]);
  });

  it("7 rule 1: a failed call carries code and message, and value is null", async () => {
    const failed = await service.get(`/assets/0x${"00".repeat(32)}`);
    expect(failed.value).to.equal(null);
    expect(failed.error)
      .to.include({ code: "ASSET_NOT_FOUND" })
      .and.have.property("message")
      .that.is.a("string");
  });

  it("8 limits: a list of targets that is too long is refused", async () => {
    const { id } = await service.createAsset();
    const targetAssetIds = Array.from(
      { length: 101 },
      (_, index) => `0x${index.toString(16).padStart(64, "0")}`,
    );
    expect((await service.post(`/assets/${id}/links`, { targetAssetIds })).status).to.equal(400);
  });

  it("9 versioning: GET / says the version, paths have none", async () => {
    expect((await service.get("/")).value.version).to.match(/^\d+\.\d+\.\d+$/);
  });
});
