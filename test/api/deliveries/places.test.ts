import { expect } from "chai";
import { createPlaces } from "../../../api/deliveries/places.ts";
import { createStandings } from "../../../api/deliveries/standing.ts";

/** An attempt that ends when it is told to. */
function attempt() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

describe("places for attempts", () => {
  it("are given to as many as there are, and then first come first served", async () => {
    const places = createPlaces(2, 10_000);
    await places.take();
    expect(places.takeMore(5)).to.equal(1);
    const order: string[] = [];
    const waiting = ["a", "b"].map((name) => places.take().then(() => order.push(name)));
    expect(places.free).to.equal(0);
    places.giveBack(2);
    await Promise.all(waiting);
    expect(order).to.deep.equal(["a", "b"]);
  });

  it("are given back by an attempt that takes long, which is still waited for", async () => {
    const places = createPlaces(1, 5);
    const slow = attempt();
    await places.take();
    let isLate = false;
    const held = places.hold(slow.run, () => {
      isLate = true;
    });
    await places.take();
    expect(isLate).to.equal(true);
    places.giveBack(1);
    slow.end();
    await held;
    expect(places.free).to.equal(1);
  });

  it("are not given while too many wait beside them", async () => {
    const places = createPlaces(1, 1);
    const slow = Array.from({ length: 16 }, attempt);
    const held: Promise<void>[] = [];
    for (const one of slow) {
      await places.take();
      held.push(places.hold(one.run));
    }
    let isTaken = false;
    const next = places.take().then(() => {
      isTaken = true;
    });
    await new Promise((later) => setTimeout(later, 20));
    expect([isTaken, places.free, places.takeMore(1)]).to.deep.equal([false, 0, 0]);
    slow[0]?.end();
    await next;
    for (const one of slow) one.end();
    await Promise.all(held);
  });

  it("are apart for receivers that are quick and those that are not", async () => {
    const standings = createStandings(4, 30);
    const unknown = standings.roomOf("one", "webhooks");
    const later = standings.roomOf("one", "webhooks-later");
    expect([unknown.atOnce, unknown.places === later.places]).to.deep.equal([1, false]);
    const take = async (places = unknown.places, accepts = true, ms = 0) => {
      await places.take();
      await standings.hold("one", places, async () => {
        await new Promise((ended) => setTimeout(ended, ms));
        return accepts;
      });
    };
    await take();
    expect(standings.roomOf("one", "webhooks-later")).to.deep.equal({ places: unknown.places, atOnce: 8 });
    await take(unknown.places, true, 50);
    expect(standings.roomOf("one", "webhooks")).to.deep.equal({ places: later.places, atOnce: 8 });
    await take(later.places, false);
    expect(standings.roomOf("one", "webhooks")).to.deep.equal({ places: later.places, atOnce: 1 });
    await take(later.places);
    expect(standings.roomOf("one", "webhooks")).to.deep.equal({ places: unknown.places, atOnce: 8 });
  });
});
