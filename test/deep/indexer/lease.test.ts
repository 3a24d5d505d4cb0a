import { expect } from "chai";
import { randomSeed } from "../../simulation/random.ts";
import { torture } from "../../simulation/torture.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";

describe("two indexers on one database, ended by kill -9 at random points", () => {
  it("behind PgBouncer, take over from each other, and the index equals the chain", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    await tortured({ kills: 10, events: 150, through: startPgbouncer });
  });

  it("take over from each other, and the index equals the chain", () => tortured({ kills: 20, events: 300 }));

  async function tortured(options: Omit<Parameters<typeof torture>[0], "seed">) {
    const seed = randomSeed();
    console.log(`      seed ${seed}`);
    const { problems, longestTakeoverMs } = await torture({ seed, ...options });
    expect(problems, `seed ${seed}`).to.deep.equal([]);
    expect(longestTakeoverMs).to.be.below(30_000);
  }
}).timeout(600_000);
