import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { inTransaction } from "../../../db/core/pool.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { refuse } from "../../support/database/writes.ts";
import { eventually } from "../../support/eventually.ts";
import { calldataOf, type Rig, startRig } from "../../support/rigs/rig.ts";

describe("requests that could mislead, or hold up others", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  /** An asset that its author's wallet makes by itself. */
  async function createDirectly() {
    const creation = await rig.requestCreation();
    await rig.send((await rig.sign((await rig.find(creation.id)).calldata)).raw);
    await rig.mine();
    await rig.reach(creation.id, "Committed");
    return creation.asset;
  }

  const isKnownToNode = async (hash: string) =>
    (await rig.anvil.rpc<unknown>("eth_getTransactionByHash", [hash])) !== null;

  it("never sends what its author refused before it was sent", async () => {
    const { id } = await rig.requestCreation();
    const hash = await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
    await inTransaction(rig.pool, (tx) => refuse(tx, id));
    const { id: next } = await rig.requestCreation(undefined, other);
    await rig.submit(next, await rig.sign((await rig.find(next)).calldata, { account: other }));
    await rig.startIndexer();
    await rig.reach(next, "Submitted");
    expect(await isKnownToNode(hash)).to.equal(false);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByUser", reason: "REFUSED" });
  });

  it("looks at the hash of one request behind any number of made-up hashes of another", async () => {
    const [mine, theirs] = [await rig.requestCreation(), await rig.requestCreation(undefined, other)];
    const hash = await rig.send((await rig.sign((await rig.find(mine.id)).calldata)).raw);
    await rig.reportHash(mine.id, hash);
    for (let made = 0; made < 120; made += 1) await rig.reportHash(theirs.id, toHex(randomBytes(32)));
    await rig.startIndexer();
    expect(await rig.reach(mine.id, "Submitted")).to.include({ transactionHash: hash });
    expect(await rig.stateOf(theirs.id)).to.deep.equal({ state: "Received" });
  });

  it("gives up what no node took before its time was over", async () => {
    const poor = privateKeyToAccount(generatePrivateKey());
    const { id } = await rig.requestCreation(undefined, poor);
    const raw = await poor.signTransaction({
      type: "eip1559",
      chainId: rig.registry.chainId,
      nonce: 0,
      to: rig.registry.address,
      data: (await rig.find(id)).calldata,
      gas: 300_000n,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    });
    await rig.startIndexer();
    await rig.submit(id, { raw, nonce: 0 });
    const tried = async () =>
      (await rig.pool.query("select failures from service.transactions")).rows[0]?.failures;
    await eventually("an attempt", tried, (failures) => failures > 0);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "TxSignatureSubmitted" });
    await rig.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
    await rig.giveUp(id);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "FEE_TOO_LOW" });
  });

  it("takes half of a link request, which somebody made directly, for nothing that was sent", async () => {
    await rig.startIndexer();
    const [parent, one, two] = [await createDirectly(), await createDirectly(), await createDirectly()];
    const targets = [one, two].map((child) => ({ child, nth: 1 }));
    const id = await rig.requestLinkChange(parent, { kind: "link", targets });
    const half = calldataOf(parent, { kind: "link", targets: targets.slice(0, 1) });
    await rig.send((await rig.sign(half)).raw);
    await rig.mine();
    await rig.caughtUp();
    expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
  });

  it("counts a link that came in an earlier turn than was asked for, after a reorg", async () => {
    await rig.startIndexer();
    const [parent, child] = [await createDirectly(), await createDirectly()];
    const first = [{ child, nth: 1 }];
    await rig.mine();
    for (const kind of ["link", "revoke"] as const) {
      await rig.send((await rig.sign(calldataOf(parent, { kind, targets: first }))).raw);
      await rig.mine();
    }
    await rig.caughtUp();
    const id = await rig.requestLinkChange(parent, { kind: "link", targets: [{ child, nth: 2 }] });
    await rig.anvil.rpc("anvil_reorg", [2, []]);
    await rig.mine();
    await rig.caughtUp();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Committed");
  });

  it("tells a cancel from a delay for a transaction that only the wallet held", async () => {
    await rig.startIndexer();
    const { id } = await rig.requestCreation();
    const { raw, nonce } = await rig.sign((await rig.find(id)).calldata);
    const hash = await rig.send(raw);
    await rig.mine();
    await rig.reach(id, "Committed");
    const known = async () =>
      (
        await rig.pool.query("select nonce from service.transactions where hash = decode($1, 'hex')", [
          hash.slice(2),
        ])
      ).rows[0]?.nonce;
    await eventually("the nonce", known, (seen) => seen === nonce);
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.reach(id, "Submitted");
    await rig.send((await rig.sign("0x", { nonce, to: owner.address, tip: 9_000_000_000n })).raw);
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
  });
});
