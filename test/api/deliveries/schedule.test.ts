import { expect } from "chai";
import { isOver, jitter, waitAfter } from "../../../api/deliveries/schedule.ts";

describe("when a failed delivery is tried again", () => {
  const longest = () => 1;

  it("waits twice as long after each failure, up to four hours", () => {
    const waits = Array.from({ length: 14 }, (_, place) => waitAfter(place + 1, longest));
    expect(waits.slice(0, 5)).to.deep.equal([5, 10, 20, 40, 80]);
    expect(waits.slice(12)).to.deep.equal([14_400, 14_400]);
    expect(waitAfter(1_000_000, longest)).to.equal(14_400);
  });

  it("waits for half of that at least", () => {
    expect(jitter(() => 0)).to.equal(0.5);
    expect(waitAfter(3, () => 0)).to.equal(10);
  });

  it("is tried for three days, some thirty times", () => {
    const begun = new Date("2026-01-01T00:00:00Z");
    let [now, tries] = [begun.getTime(), 0];
    while (!isOver(begun, new Date(now))) {
      tries += 1;
      now += waitAfter(tries, longest) * 1_000;
    }
    expect(tries).to.be.within(25, 35);
    expect(isOver(begun, new Date("2026-01-03T23:59:59Z"))).to.equal(false);
    expect(isOver(begun, new Date("2026-01-04T00:00:00Z"))).to.equal(true);
  });
});
