import { expect } from "chai";
import { eventStorm } from "../../simulation/events/storm.ts";
import { randomSeed } from "../../simulation/random.ts";

describe("the log of events, its readers and its receivers, when processes and database end fifty times", () => {
  it("over 10,000 events with reorgs: all of them have in the end what the log holds, in order", async function () {
    this.timeout(3_600_000);
    const seed = Number(process.env["STORM_SEED"] ?? randomSeed());
    console.log(`      STORM_SEED=${seed}`);
    const { problems, events } = await eventStorm({ seed, events: 10_000, kills: 50, say: console.log });
    expect(problems).to.deep.equal([]);
    expect(events).to.be.at.least(10_000);
  });
});
