import { expect } from "chai";
import { encodeFunctionData, type Hex } from "viem";
import { gaslessCall, gaslessTypedData, linkNonceOf } from "../../../domain/asset/gasless.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { verifyIndex } from "../../../indexer/verify/verify.ts";
import { owner, third } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

describe("signatures that their author voids on the chain", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  const voided = { state: "RevokedByUser", reason: "NONCE_USED" };

  async function createAsset() {
    const creation = await rig.requestCreation();
    await rig.send((await rig.sign((await rig.find(creation.id)).calldata)).raw);
    await rig.mine();
    await rig.reach(creation.id, "Committed");
    return creation.asset;
  }

  async function requestLink() {
    const [parent, child] = [await createAsset(), await createAsset()];
    return { id: await rig.requestLinkChange(parent, { kind: "link", targets: [{ child, nth: 1 }] }) };
  }

  async function cancelCreation(id: string): Promise<Hex> {
    const { change } = await rig.find(id);
    if (change.kind !== "create") throw new Error("no creation");
    const args = [change.salt, change.details] as const;
    const { raw } = await rig.sign(
      encodeFunctionData({ abi: registryAbi, functionName: "cancelCreation", args }),
    );
    await rig.send(raw);
    return raw;
  }

  async function cancelLinkChange(id: string, account = owner): Promise<void> {
    const args = [linkNonceOf(id)] as const;
    const data = encodeFunctionData({ abi: registryAbi, functionName: "cancelLinkChange", args });
    await rig.send((await rig.sign(data, { account })).raw);
  }

  it("end a creation as RevokedByUser, for good after the confirmations", async () => {
    const { id } = await rig.requestCreation();
    await cancelCreation(id);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
    expect(await rig.stateOf(id)).to.deep.equal(voided);
    expect(await rig.find(id)).to.include({ settled: false });
    await rig.mine(5);
    await rig.caughtUp();
    expect(await rig.find(id)).to.include({ settled: true });
  });

  it("end a link change as RevokedByUser, until a reorg takes it away", async () => {
    const { id } = await requestLink();
    expect((await rig.find(id)).linkNonce).to.equal(linkNonceOf(id));
    const before = await rig.anvil.rpc("evm_snapshot", []);
    await cancelLinkChange(id);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
    expect(await rig.stateOf(id)).to.deep.equal(voided);
    await rig.anvil.rpc("evm_revert", [before]);
    await rig.mine(2);
    await rig.reach(id, "Received");
  });

  it("end also what had expired, and that is noted", async () => {
    const { id } = await rig.requestCreation();
    await rig.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
    await eventually(
      "its expiry noted",
      () => rig.history(id),
      (entries) => entries.at(-1)?.reason === "EXPIRED",
    );
    await cancelCreation(id);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
    expect((await rig.history(id)).map(({ state }) => state)).to.deep.equal([
      "Received",
      "RevokedByTxServer",
      "RevokedByUser",
    ]);
  });

  it("end a link change by its nonce, and only when its own author voids it", async () => {
    const { id } = await requestLink();
    await cancelLinkChange(id, third);
    await rig.mine();
    await rig.caughtUp();
    expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
    await cancelLinkChange(id);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
    expect(await rig.stateOf(id)).to.deep.equal(voided);
  });

  it("are good again when a reorg removes the cancellation, and void when it is mined anew", async () => {
    const { id } = await rig.requestCreation();
    const raw = await cancelCreation(id);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.mine();
    await rig.reach(id, "Received");
    await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
  });

  it("say nothing about a transaction of the author that is under way", async () => {
    const { id } = await rig.requestCreation();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { nonce: 1 }));
    await rig.reach(id, "Submitted");
    await cancelCreation(id);
    await rig.mine();
    expect((await rig.reach(id, "Committed")).facts.effect).to.be.a("number");
  });

  it("are compared with the chain by index:verify", async () => {
    const [{ id: creation }, { id: link }] = [await rig.requestCreation(), await requestLink()];
    await cancelCreation(creation);
    await rig.mine();
    await cancelLinkChange(link);
    await rig.mine();
    await rig.caughtUp();
    const lines: string[] = [];
    const report = { onDifference: (line: string) => lines.push(line), onProgress: () => {} };
    await verifyIndex(rig.pool, rig.anvil.url, report);
    expect(lines).to.deep.equal([]);
    await rig.stopIndexer();
    rig.differOnPurpose();
    await rig.pool.query("update chain.cancellations set author = $1", [Buffer.alloc(20)]);
    await verifyIndex(rig.pool, rig.anvil.url, report);
    expect(lines.filter((line) => line.startsWith("missing: cancellation"))).to.have.length(2);
  });

  it("given a change that somebody else sent for the author: its sender's nonce counts for nothing", async () => {
    const { id } = await requestLink();
    const request = await rig.find(id);
    const signature = await owner.signTypedData(gaslessTypedData(request));
    const { raw } = await rig.sign(gaslessCall(request, signature), { account: third });
    await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    const known = async () =>
      (await rig.pool.query("select by_author from service.transactions where request_id = $1", [id])).rows;
    await rig.pool.query("update service.transactions set next_attempt_at = now()");
    await eventually("the sender known", known, (rows) => rows[0]?.by_author === false);
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    for (const nonce of [0, 1]) {
      await rig.send((await rig.sign("0x", { account: third, to: third.address, nonce })).raw);
    }
    await rig.mine(2);
    await rig.caughtUp();
    expect((await rig.stateOf(id)).state).to.equal("Submitted");
  });
});
