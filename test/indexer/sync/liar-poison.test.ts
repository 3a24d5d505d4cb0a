import { expect } from "chai";
import { other, owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("a node that answers badly about one transaction alone", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
    await rig.startIndexer();
  });
  afterEach(() => rig.stop());

  const rejection = { error: { code: -32_000, message: "transaction indexing is in progress" } };

  /** A transaction that the node has, and about which it then answers by an error. */
  async function poison(method: string) {
    const { id } = await rig.requestCreation();
    const signed = await rig.sign((await rig.find(id)).calldata);
    const hash = await rig.submit(id, signed);
    await rig.reach(id, "Submitted");
    rig.liar.on(method, ({ params, forward }) =>
      params[0] === hash ? rejection : forward().then((result) => ({ result })),
    );
    return { id, nonce: signed.nonce };
  }

  it("delays nobody else's transaction", async () => {
    await poison("eth_getTransactionByHash");
    const { id } = await rig.requestCreation(undefined, other);
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata, { account: other }));
    await rig.reach(id, "Submitted");
  });

  it("is heard, and asked again, in whatever characters it rejects a transaction", async () => {
    const message = "not now\0\u001b[31m \ud800";
    rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32_000, message } }));
    const { id } = await rig.requestCreation();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
    const problem = async () =>
      (
        await rig.pool.query(
          "select last_problem as problem from service.transactions where request_id = $1",
          [id],
        )
      ).rows[0]?.problem as string | null;
    expect(await eventually("the rejection noted", problem, (said) => said !== null)).to.equal(
      "not now  [31m \ufffd",
    );
    expect(await rig.halted()).to.equal(undefined);
    rig.liar.honest();
    await rig.reach(id, "Submitted");
  });

  it("does not stop the index, and is believed once it answers", async () => {
    const { id, nonce } = await poison("eth_getTransactionReceipt");
    await rig.send((await rig.sign("0x", { nonce, to: owner.address, tip: 9_000_000_000n })).raw);
    await rig.mine();
    const { id: next } = await rig.requestCreation(undefined, other);
    await rig.send((await rig.sign((await rig.find(next)).calldata, { account: other })).raw);
    await rig.mine();
    await rig.reach(next, "Committed");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "Submitted" });
    rig.liar.honest();
    await rig.mine();
    await rig.reach(id, "RevokedByUser");
  });
});
