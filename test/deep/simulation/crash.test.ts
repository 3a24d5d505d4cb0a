import { expect } from "chai";
import { crash } from "../../simulation/crash.ts";
import { randomSeed } from "../../simulation/random.ts";

describe("what was handed in, when processes end by kill -9 fifty times", () => {
  it("at random points: all of it is on the chain in the end, once", async function () {
    // On a machine with nothing else to do it takes less than a minute.
    this.timeout(900_000);
    const seed = randomSeed();
    console.log(`      seed ${seed}: npm run torture -- --service --kills 50 --seed ${seed}`);
    const { problems, kills } = await crash({ seed, kills: 50 });
    expect(problems).to.deep.equal([]);
    expect(kills).to.equal(50);
  });
});
