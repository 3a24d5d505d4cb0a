import { expect } from "chai";
import { serialBatches } from "../../../indexer/outbox/serial-batches.ts";

describe("work in groups", () => {
  /** Work that ends when it is told to, and remembers what came together. */
  function heldWork() {
    const groups: number[][] = [];
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const double = serialBatches(async (items: readonly number[]) => {
      groups.push([...items]);
      begun.resolve();
      await gate.promise;
      if (items.includes(13)) throw new Error("thirteen");
      return items.map((item) => item * 2);
    });
    return { groups, double, begun: begun.promise, release: gate.resolve };
  }

  it("takes together what comes in one turn, and answers each piece", async () => {
    const { groups, double, release } = heldWork();
    release();
    expect(await Promise.all([1, 2, 3].map(double))).to.deep.equal([2, 4, 6]);
    expect(await double(4)).to.equal(8);
    expect(groups).to.deep.equal([[1, 2, 3], [4]]);
  });

  it("takes together what comes while a group is under way, once that has ended", async () => {
    const { groups, double, begun, release } = heldWork();
    const first = double(1);
    await begun;
    const later = [double(2), double(3)];
    expect(groups).to.deep.equal([[1]]);
    release();
    expect(await Promise.all([first, ...later])).to.deep.equal([2, 4, 6]);
    expect(groups).to.deep.equal([[1], [2, 3]]);
  });

  it("has at most fifty pieces in a group", async () => {
    const { groups, double, release } = heldWork();
    release();
    await Promise.all(Array.from({ length: 120 }, (_, index) => double(100 + index)));
    expect(groups.map(({ length }) => length)).to.deep.equal([50, 50, 20]);
  });

  it("fails for all of a group, and goes on with the next", async () => {
    const { double, begun, release } = heldWork();
    const failing = Promise.allSettled([double(12), double(13)]);
    await begun;
    const next = double(14);
    release();
    expect((await failing).map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(await next).to.equal(28);
  });
});
