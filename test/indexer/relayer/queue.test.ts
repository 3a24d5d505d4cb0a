import { expect } from "chai";
import { keccak256, parseTransaction } from "viem";
import { inTransaction } from "../../../db/core/pool.ts";
import { refuse } from "../../support/database/writes.ts";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

describe("the relayer's queue", () => {
  let rig: RelayerRig;
  beforeEach(async () => {
    rig = await startRelayerRig();
  });
  afterEach(() => rig.stop());

  async function signedCreations(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += 1) ids.push((await rig.signedCreation()).id);
    return ids;
  }
  async function commit(ids: string[]): Promise<void> {
    for (const id of ids) await rig.reach(id, "Submitted");
    await eventually("all in the pool", rig.pending, (count) => count >= ids.length);
    await rig.mine();
    for (const id of ids) await rig.reach(id, "Committed");
  }
  const pass = async (seconds: number) => {
    await rig.chain.increaseTime({ seconds });
    // What a reorg could still change ends nothing.
    await rig.mine(6);
    await rig.caughtUp();
  };

  it("sends again a nonce that the node has lost below later ones", async () => {
    await rig.startIndexer();
    const ids = await signedCreations(3);
    for (const id of ids) await rig.reach(id, "Submitted");
    const [first] = await rig.attempts();
    await rig.anvil.rpc("anvil_dropTransaction", [keccak256(first?.raw as `0x${string}`)]);
    await commit(ids);
    expect(await rig.sent()).to.equal(3);
  });

  it("uses a gap for what waits, and fills one that nothing waits for", async () => {
    rig.holdBack();
    await rig.startIndexer();
    const [refused = "", again = "", last = ""] = await signedCreations(3);
    await eventually("three plans", rig.attempts, (rows) => rows.length === 3);
    await rig.stopIndexer();
    await inTransaction(rig.pool, async (tx) => {
      await tx.query("delete from service.relayer_nonces where nonce < 2");
      await refuse(tx, refused);
    });
    rig.liar.honest();
    await rig.startIndexer();
    for (const id of [again, last]) await rig.reach(id, "Submitted");
    await eventually("no gap", rig.pending, (count) => count === 3);
    const rows = await rig.attempts();
    expect(rows.map(({ nonce, request, filler }) => [nonce, request, filler])).to.deep.equal([
      [0, again, false],
      [1, null, true],
      [2, last, false],
    ]);
    await commit([again, last]);
    expect(await rig.stateOf(refused)).to.deep.equal({ state: "RevokedByUser", reason: "REFUSED" });
  });

  it("given a deadline that passes while it waits for ether: ends as EXPIRED", async () => {
    await rig.chain.setBalance({ address: rig.account.address, value: 1n });
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await rig.waitsFor(id, "LOW_BALANCE");
    await pass(700);
    await rig.reach(id, "RevokedByTxServer");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
    expect(await rig.attempts()).to.deep.equal([]);
  });

  it("given a deadline that passes while no node takes it: ends as EXPIRED, and its nonce is used up", async () => {
    rig.holdBack();
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await eventually("a plan", rig.attempts, (rows) => rows.length === 1);
    await pass(700);
    await rig.reach(id, "RevokedByTxServer");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
    rig.liar.honest();
    const { id: next } = await rig.requestCreation(undefined, rig.author);
    await rig.pool.query("update service.requests set expires_at = now() + interval '1 day' where id = $1", [
      next,
    ]);
    await rig.relay(next);
    await commit([next]);
    expect(await rig.sent()).to.equal(2);
  });

  const failures = async (id: string): Promise<number> =>
    (await rig.pool.query("select failures from service.relays where request_id = $1", [id])).rows[0]
      .failures;

  it("ends nothing by the word of a node that is behind for a moment", async () => {
    rig.liar.on("eth_sendRawTransaction", () => ({
      error: { code: -32000, message: "exceeds block gas limit" },
    }));
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await eventually(
      "some attempts",
      () => failures(id),
      (count) => count > 3,
    );
    rig.liar.honest();
    await commit([id]);
    expect((await rig.history(id)).map(({ state }) => state)).to.not.include("RevokedByTxServer");
  });

  for (const [reason, message] of [
    ["GAS_TOO_HIGH", "exceeds block gas limit"],
    ["REJECTED", "oversized data"],
  ] as const) {
    it(`given a node that says "${message}": ends as ${reason}, and the next is sent`, async () => {
      rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message } }));
      await rig.startIndexer();
      const { id } = await rig.signedCreation();
      await eventually(
        "some attempts",
        () => failures(id),
        (count) => count > 3,
      );
      expect((await rig.stateOf(id)).state).to.equal("TxSignatureSubmitted");
      await rig.mine(5);
      await rig.reach(id, "RevokedByTxServer");
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason });
      rig.liar.honest();
      await commit([(await rig.signedCreation()).id]);
    });
  }

  it("given that its nonce was used with the key elsewhere: the request gets another one, when that is final", async () => {
    rig.holdBack();
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await eventually("a plan", rig.attempts, (rows) => rows.length === 1);
    const { raw } = await rig.sign("0x", { account: rig.account, nonce: 0, to: rig.account.address });
    await rig.send(raw);
    await rig.mine();
    await rig.caughtUp();
    rig.liar.honest();
    expect((await rig.attempts()).length).to.equal(1);
    await rig.mine(5);
    await rig.reach(id, "Submitted");
    await eventually("another nonce", rig.attempts, (rows) => rows.at(-1)?.nonce === 1);
    await commit([id]);
  });

  it("on a chain without a base fee: sends legacy transactions, and replaces one that is stuck", async () => {
    rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
      const block = (await forward()) as { baseFeePerGas?: string } | null;
      if (block !== null) delete block.baseFeePerGas;
      return { result: block };
    });
    rig.liar.on("eth_maxPriorityFeePerGas", () => ({ error: { code: -32601, message: "no such method" } }));
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    for (let block = 0; block < 4; block += 1) {
      await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 50_000_000_000n });
      await rig.mine();
    }
    const [first, second] = await eventually("a replacement", rig.attempts, (rows) => rows.length > 1);
    for (const attempt of [first, second]) {
      expect(parseTransaction(attempt?.raw as `0x${string}`).type).to.equal("legacy");
    }
    expect(BigInt(second?.maxFee ?? 0) * 1000n >= BigInt(first?.maxFee ?? 0) * 1125n).to.equal(true);
    await eventually("it in the pool", rig.pending, (count) => count === 1);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await rig.sent()).to.equal(1);
  });
});
