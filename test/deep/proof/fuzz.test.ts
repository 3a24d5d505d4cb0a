import { expect } from "chai";
import { fuzzProofs } from "../../proof/fuzz/fuzz.ts";
import { randomSeed } from "../../simulation/random.ts";

describe("a million mutated proofs", () => {
  it("are valid only where what they say is true", async () => {
    const seed = randomSeed();
    console.log(`      npm run fuzz:proof -- --seed ${seed}`);
    const { problems, mutations } = await fuzzProofs({ seed, mutations: 1_000_000, say: () => undefined });
    expect(problems.map((problem) => problem.slice(0, 400))).to.deep.equal([]);
    expect(mutations).to.equal(1_000_000);
  }).timeout(7_200_000);
});
