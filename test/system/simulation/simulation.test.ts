import { expect } from "chai";
import { seedsThatFoundFaults } from "../../simulation/seeds.ts";
import { simulate } from "../../simulation/simulate.ts";

describe("everything at random: chain, node, database, kills", function () {
  this.timeout(240_000);

  async function expectEqual(seed: number, blocks: number): Promise<void> {
    const { problems, events } = await simulate({ seed, blocks });
    expect(problems, `npm run simulate -- --seed ${seed} --blocks ${blocks}`).to.deep.equal([]);
    expect(events).to.be.above(0);
  }

  it("ends with the index equal to the chain, and to one built from nothing", () => expectEqual(1, 120));

  for (const { seed, blocks, fault } of seedsThatFoundFaults) {
    it(`does so from seed ${seed}, which found that ${fault}`, () => expectEqual(seed, blocks));
  }
});
