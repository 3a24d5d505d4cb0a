import { expect } from "chai";
import { randomSeed } from "../../simulation/random.ts";
import { simulate } from "../../simulation/simulate.ts";

const runs = 5;
const blocks = 300;

describe("everything at random: chain, node, database, kills, from seeds that nobody chose", () => {
  for (let run = 1; run <= runs; run += 1) {
    it(`ends with the index equal to the chain, and to one built from nothing (${run} of ${runs})`, async () => {
      const seed = randomSeed();
      console.log(`      npm run simulate -- --seed ${seed} --blocks ${blocks}`);
      const { problems, events } = await simulate({ seed, blocks });
      expect(problems, `seed ${seed}`).to.deep.equal([]);
      expect(events).to.be.above(0);
    });
  }
}).timeout(900_000);
