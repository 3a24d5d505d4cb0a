import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { type Hex, toHex } from "viem";
import { deferredIndexesMissing } from "../../../db/chain/deferred-indexes.ts";
import { readAllEvents } from "../../../db/service/events/read.ts";
import { reindex } from "../../../indexer/sync/reindex.ts";
import { connectNode } from "../../../rpc/node.ts";
import { expectToldAsItIs } from "../../support/database/told-index.ts";
import { calldataOf, type Rig, sampleDetails, startRig } from "../../support/rigs/rig.ts";

describe("what the indexer tells", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig({ confirmations: 3 });
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  const events = async (after = 0) => await readAllEvents(rig.pool, after, 1_000);
  const kinds = async (after = 0) => (await events(after)).map(({ kind }) => kind);
  const last = async () => (await events()).at(-1)?.sequence ?? 0;
  const rebuild = () =>
    reindex({ pool: rig.pool, node: connectNode([rig.anvil.url]), log: pino({ level: "silent" }) });

  async function send(id: string): Promise<Hex> {
    const { raw, nonce } = await rig.sign((await rig.find(id)).calldata);
    await rig.submit(id, { raw, nonce });
    await rig.reach(id, "Submitted");
    return raw;
  }

  async function commit(id: string): Promise<Hex> {
    const raw = await send(id);
    await rig.mine();
    await rig.reach(id, "Committed");
    return raw;
  }

  async function createAsset() {
    const creation = await rig.requestCreation();
    const raw = await commit(creation.id);
    return { ...creation, raw };
  }

  /** Registers assets without the service. */
  async function registerElsewhere(): Promise<void> {
    const salt = toHex(randomBytes(32));
    const { raw } = await rig.sign(calldataOf("0x", { kind: "create", salt, details: sampleDetails }));
    await rig.send(raw);
    await rig.mine();
  }

  it("is each state of a request and what the chain made of it, in order, with block and subject", async () => {
    const { id, asset } = await createAsset();
    await rig.mine(2);
    await rig.reach(id, "Confirmed");
    const all = await events();
    expect(all.map(({ kind }) => kind)).to.deep.equal([
      "request.Received",
      "request.TxSignatureSubmitted",
      "request.Submitted",
      "asset.registered",
      "request.Committed",
      "asset.final",
      "request.Confirmed",
    ]);
    expect(all.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(all.map((event) => event.id)).size).to.equal(7);
    const { block, transactionHash, asset: texts, ...registered } = all[3] as (typeof all)[number];
    const found = await rig.find(id);
    const chainBlock = await rig.chain.getBlock({ blockNumber: BigInt(found.blockNumber ?? -1) });
    expect(block).to.deep.equal({
      number: found.blockNumber,
      hash: chainBlock.hash,
      time: Number(chainBlock.timestamp),
    });
    expect(transactionHash).to.equal(found.transactionHash);
    expect(texts).to.include({ name: "Lease", fileName: "lease.pdf", method: "SHA2-256" });
    expect(registered).to.include({ assetId: asset, author: found.author, tenant: undefined });
    const committed = all[4] as (typeof all)[number];
    expect(committed).to.deep.include({ tenant: "test", assetId: asset, block, transactionHash });
    expect(committed.request).to.deep.equal({ id, kind: "create", targets: [], reason: undefined });
    await expectToldAsItIs(rig.pool);
  });

  it("is a link that is added and revoked, with both of its ends", async () => {
    const parent = await createAsset();
    const child = await createAsset();
    const targets = [{ child: child.asset, nth: 1 }];
    const link = await rig.requestLinkChange(parent.asset, { kind: "link", targets });
    const from = await last();
    await commit(link);
    const revocation = await rig.requestLinkChange(parent.asset, { kind: "revoke", targets });
    await commit(revocation);
    const told = (await events(from)).filter(({ kind }) => kind.startsWith("link."));
    expect(told.map(({ kind, assetId, targetId }) => [kind, assetId, targetId])).to.deep.equal([
      ["link.added", parent.asset, child.asset],
      ["link.revoked", parent.asset, child.asset],
    ]);
    expect((await events(from)).find(({ request }) => request?.id === link)?.request).to.deep.include({
      kind: "link",
      targets: [child.asset],
    });
    await expectToldAsItIs(rig.pool);
  });

  it("is what a reorg takes back, newest first, and what the new blocks hold instead", async () => {
    const parent = await createAsset();
    const child = await createAsset();
    const targets = [{ child: child.asset, nth: 1 }];
    const link = await rig.requestLinkChange(parent.asset, { kind: "link", targets });
    await commit(link);
    const revocation = await rig.requestLinkChange(parent.asset, { kind: "revoke", targets });
    await commit(revocation);
    const from = await last();
    await rig.anvil.rpc("anvil_reorg", [3, [[child.raw, 0]]]);
    await rig.mine(2);
    await rig.caughtUp();
    await expectToldAsItIs(rig.pool);
    const chainKinds = (await kinds(from)).filter((kind) => !kind.startsWith("request."));
    expect(chainKinds.slice(0, 4)).to.deep.equal([
      "link.revocation_rolled_back",
      "link.rolled_back",
      "asset.rolled_back",
      "asset.registered",
    ]);
    expect(await kinds(from)).to.include("request.Submitted");
  });

  it("is told once, however often the index is built again", async () => {
    const { id } = await createAsset();
    await rig.mine(3);
    await rig.reach(id, "Confirmed");
    const before = await events();
    await rebuild();
    await rebuild();
    expect(await events()).to.deep.equal(before);
  });

  it("is the difference alone where a rebuild finds another chain", async () => {
    const kept = await createAsset();
    const lost = await createAsset();
    await rig.stopIndexer();
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await registerElsewhere();
    const from = await last();
    await rebuild();
    const told = (await events(from)).filter(({ kind }) => !kind.startsWith("request."));
    expect(told.map(({ kind }) => kind)).to.deep.equal([
      "asset.rolled_back",
      "asset.registered",
      "asset.final",
    ]);
    expect(told[0]?.assetId).to.equal(lost.asset);
    // It is two blocks deep by now.
    expect(told[2]?.assetId).to.equal(kept.asset);
    expect(told[1]?.assetId).not.to.be.oneOf([kept.asset, lost.asset]);
    await expectToldAsItIs(rig.pool);
  });

  it("leaves nothing out that happened while the indexer was away, however long", async () => {
    await rig.stopIndexer();
    for (let count = 0; count < 3; count += 1) await registerElsewhere();
    await rig.mine(200);
    await registerElsewhere();
    await rig.startIndexer();
    await rig.caughtUp();
    const told = (await kinds()).filter((kind) => kind === "asset.registered");
    expect(told).to.have.length(4);
    await expectToldAsItIs(rig.pool);
  });
});

describe("what an index tells that is filled for the first time", () => {
  it("begins where it is complete: the assets before are there to be listed", async () => {
    const rig = await startRig({ confirmations: 3 });
    try {
      const { id } = await rig.requestCreation();
      const { raw } = await rig.sign((await rig.find(id)).calldata);
      await rig.send(raw);
      await rig.mine(300);
      await rig.startIndexer();
      await rig.caughtUp();
      expect(await deferredIndexesMissing(rig.pool)).to.equal(false);
      const kinds = (await readAllEvents(rig.pool, 0, 100)).map(({ kind }) => kind);
      expect(kinds).to.deep.equal(["request.Received", "request.Confirmed"]);
    } finally {
      await rig.stop();
    }
  });
});
