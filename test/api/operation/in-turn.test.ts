import { expect } from "chai";
import { createTurns } from "../../../api/operation/in-turn.ts";

describe("works in turn", () => {
  it("run one after the other for one key, whatever became of the one before, and beside others", async () => {
    const inTurn = createTurns();
    const log: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} begins`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const all = await Promise.allSettled([
      inTurn("a", work("a1")),
      inTurn("a", work("a2", true)),
      inTurn("b", work("b1")),
      inTurn("a", work("a3")),
    ]);
    expect(all.map(({ status }) => status)).to.deep.equal([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    const ofA = log.filter((line) => line.startsWith("a"));
    expect(ofA).to.deep.equal(["a1", "a2", "a3"].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(log.indexOf("b1 begins")).to.be.below(log.indexOf("a1 ends"));
    expect(await inTurn("a", work("a4"))).to.equal("a4");
  });
});
