import { expect } from "chai";
import { createStreamPlaces } from "../../../api/events/stream-places.ts";

describe("places for streams", () => {
  it("are limited for each owner and for all together, and free again when they are given back", () => {
    const places = createStreamPlaces(2, 3);
    const [first, second] = [places.take("a"), places.take("a")];
    expect(() => places.take("a")).to.throw("You have 2 streams open");
    const third = places.take("b");
    expect(() => places.take("b")).to.throw("no room for another");
    first();
    const fourth = places.take("b");
    expect(places.count()).to.equal(3);
    for (const giveBack of [second, third, fourth]) giveBack();
    expect(places.count()).to.equal(0);
    places.take("a");
    places.take("a");
  });
});
