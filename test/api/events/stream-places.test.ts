import { expect } from "chai";
import { createStreamPlaces } from "../../../api/events/stream-places.ts";

describe("places for streams", () => {
  it("are limited for each owner and for all together, and free again when they are given back", () => {
    const places = createStreamPlaces(2, 3);
    const [first, second] = [places.take("a", true), places.take("a", true)];
    expect(() => places.take("a", true)).to.throw("You have 2 streams open");
    const third = places.take("b", true);
    expect(() => places.take("b", true)).to.throw("no room for another");
    first();
    const fourth = places.take("b", true);
    expect(places.count()).to.equal(3);
    for (const giveBack of [second, third, fourth]) giveBack();
    expect(places.count()).to.equal(0);
    places.take("a", true);
    places.take("a", true);
  });

  it("are left free by half for callers with a credential, however many addresses others have", () => {
    const places = createStreamPlaces(2, 4);
    const [first] = [places.take("192.0.2.1", false), places.take("192.0.2.2", false)];
    expect(() => places.take("192.0.2.3", false)).to.throw("no room for another");
    places.take("a", true);
    places.take("192.0.2.1", true);
    expect(() => places.take("b", true)).to.throw("no room for another");
    first();
    places.take("192.0.2.3", false);
    expect(places.count()).to.equal(4);
  });
});
