import { expect } from "chai";
import { createBatchSize } from "../../../rpc/client/batch-size.ts";

describe("the size of a batch", () => {
  /** Asks for as many as it says, as often as told, of a node that takes so many. */
  function ask(size: ReturnType<typeof createBatchSize>, most: number, times: number): number {
    let rejected = 0;
    for (let time = 0; time < times; time += 1) {
      const calls = size.now();
      if (calls <= most) size.succeeded(calls);
      else {
        rejected += 1;
        size.failed(calls);
      }
    }
    return rejected;
  }

  it("finds what a node takes with few rejections, and is not rejected again for ten minutes", () => {
    let now = 0;
    const size = createBatchSize(() => now);
    expect(ask(size, 3, 200)).to.be.at.most(8);
    expect(size.now()).to.equal(3);
    expect(ask(size, 3, 200)).to.equal(0);
    now += 600_001;
    ask(size, 100, 300);
    expect(size.now()).to.equal(100);
  });

  it("goes down to single calls, and tries two again later", () => {
    let now = 0;
    const size = createBatchSize(() => now);
    ask(size, 1, 100);
    expect(size.now()).to.equal(1);
    now += 600_001;
    expect(ask(size, 1, 100)).to.equal(1);
    expect(size.now()).to.equal(1);
  });
});
