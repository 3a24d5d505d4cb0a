import { expect } from "chai";
import { numberToHex } from "viem";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("what a node says of a signed transaction for good", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
    await rig.startIndexer();
    await rig.caughtUp();
  });
  afterEach(() => rig.stop());

  const reject = (message: string) =>
    rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message } }));
  const rejectionsOf = async (id: string) =>
    (
      await rig.pool.query<{ rejections: number; failures: number }>(
        "select rejections, failures from service.transactions where request_id = $1",
        [id],
      )
    ).rows[0] ?? { rejections: 0, failures: 0 };

  async function submitted(): Promise<string> {
    const { id } = await rig.requestCreation();
    await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
    return id;
  }

  const makeDue = () => rig.pool.query("update service.transactions set next_attempt_at = now()");

  for (const words of [
    "insufficient funds for gas * price + value: balance 0, tx cost 6300000000000000",
    "intrinsic gas too low",
    "exceeds block gas limit",
    "oversized data",
    "nonce too low",
    "nonce too high",
    "transaction underpriced",
  ]) {
    it(`ends nothing where the node that is a moment behind says ${words.slice(0, 25)}`, async () => {
      reject(words);
      const id = await submitted();
      for (let attempts = 0; attempts < 4; attempts += 1) {
        await eventually(
          "an attempt",
          () => rejectionsOf(id),
          (seen) => seen.failures > attempts,
          30,
        );
        await makeDue();
      }
      expect((await rig.stateOf(id)).state).to.equal("TxSignatureSubmitted");
      rig.liar.honest();
      await makeDue();
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      expect((await rig.history(id)).map(({ state }) => state)).to.not.include("RevokedByTxServer");
    });
  }

  it("ends nothing after the request's time either, which one that is behind may say", async () => {
    reject("nonce too low");
    const id = await submitted();
    await rig.pool.query("update service.requests set expires_at = now()");
    await makeDue();
    await eventually(
      "some attempts",
      () => rejectionsOf(id),
      ({ rejections }) => rejections > 0,
      30,
    );
    expect((await rig.stateOf(id)).state).to.equal("TxSignatureSubmitted");
  });

  it("counts for nothing where the node does not have the block that the index stands on", async () => {
    reject("insufficient funds");
    const head = numberToHex(Number((await rig.chain.getBlock()).number));
    rig.liar.on("eth_getBlockByNumber", ({ params }) => (params[0] === head ? { result: null } : undefined));
    const id = await submitted();
    await eventually(
      "some attempts",
      () => rejectionsOf(id),
      ({ failures }) => failures > 2,
      30,
    );
    expect((await rejectionsOf(id)).rejections).to.equal(0);
  });

  it("ends the request where it is said again and again, since a block that has become final", async () => {
    reject("insufficient funds");
    const id = await submitted();
    const { settled, facts } = await rig.giveUp(id);
    expect({ settled, givenUp: facts.givenUp }).to.deep.equal({
      settled: true,
      givenUp: "INSUFFICIENT_FUNDS",
    });
  });
});
