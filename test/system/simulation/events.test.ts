import { expect } from "chai";
import { eventStorm } from "../../simulation/events/storm.ts";

describe("the log of events, its readers and its receivers, when processes and database end", function () {
  this.timeout(900_000);

  it("at points that a seed chooses: all of them have in the end what the log holds, in order", async () => {
    const { problems, events, kills } = await eventStorm({ seed: 1, events: 1_000, kills: 9 });
    expect(problems).to.deep.equal([]);
    expect(events).to.be.at.least(1_000);
    expect(kills).to.equal(9);
  });
});
