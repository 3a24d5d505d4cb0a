import { expect } from "chai";
import { fuzz } from "../../fuzz/fuzz.ts";
import { randomSeed } from "../../simulation/random.ts";

describe("a hundred thousand hostile requests", () => {
  it("get nothing but answers of the document, no failure of ours and no word of another tenant", async () => {
    const seed = randomSeed();
    console.log(`      npm run fuzz -- --requests 100000 --seed ${seed}`);
    const { problems, requests } = await fuzz({ seed, requests: 100_000, say: () => undefined });
    expect(problems, problems.join("\n")).to.deep.equal([]);
    expect(requests).to.equal(100_000);
  }).timeout(3_600_000);
});
