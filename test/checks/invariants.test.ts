import { expect } from "chai";
import { secretsKept } from "../support/invariants.ts";
import { startRig } from "../support/rigs/rig.ts";

/** What every test of the service ends with fails where it should. */
describe("the checks at the end of a test", () => {
  const faults: Record<string, string | undefined> = {
    "an index that is the chain's": undefined,
    "a text that the chain does not hold": "update chain.assets set name = 'Another lease'",
    "an asset too few": "delete from chain.assets",
    "a block that is another": "update chain.blocks set timestamp = timestamp + 1 where number > 1",
  };
  for (const [what, fault] of Object.entries(faults)) {
    it(`${fault === undefined ? "let pass" : "find"} ${what}`, async () => {
      const rig = await startRig();
      await rig.startIndexer();
      const { id } = await rig.requestCreation();
      await rig.submit(id, await rig.sign((await rig.find(id)).calldata));
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      await rig.stopIndexer();
      if (fault !== undefined) await rig.pool.query(fault);
      const outcome = await rig.stop().catch((error: Error) => error.message);
      if (fault === undefined) expect(outcome).to.equal(undefined);
      else expect(outcome).to.include("differences between the index and the chain");
    });
  }

  it("find a key, a token and a signature in a log", () => {
    const [key, token, signature] = ["k", "t", "5"].map((digit) => digit.repeat(40)) as [
      string,
      string,
      string,
    ];
    const secrets = secretsKept([key]);
    secrets.note(token, { signature });
    secrets.expectNoneIn(["nothing\n", '{"url":"/wallets/"}\n']);
    for (const secret of [key, token, signature]) {
      expect(() => secrets.expectNoneIn(["nothing\n", `{"said":"${secret}"}\n`])).to.throw(
        "secrets in the log",
      );
    }
  });
});
