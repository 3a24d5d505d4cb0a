import { expect } from "chai";
import { createRangeSize } from "../../../indexer/sync/range-size.ts";

describe("the size of a range", () => {
  it("doubles over blocks that hold nothing, up to a limit", () => {
    const size = createRangeSize();
    const first = size.now();
    size.succeeded(first, { logs: 0, bytes: 0 });
    expect(size.now()).to.equal(2 * first);
    for (let range = 0; range < 20; range += 1) size.succeeded(size.now(), { logs: 0, bytes: 0 });
    expect(size.now()).to.equal(5_000);
  });

  it("shrinks at once over full blocks, to one block if need be", () => {
    const size = createRangeSize();
    for (let range = 0; range < 20; range += 1) size.succeeded(size.now(), { logs: 0, bytes: 0 });
    size.succeeded(5_000, { logs: 500_000, bytes: 0 });
    expect(size.now()).to.equal(15);
    size.succeeded(1, { logs: 50_000, bytes: 0 });
    expect(size.now()).to.equal(1);
  });

  it("shrinks at once over blocks whose few logs are large, to one block if need be", () => {
    const size = createRangeSize();
    for (let range = 0; range < 20; range += 1) size.succeeded(size.now(), { logs: 0, bytes: 0 });
    size.succeeded(5_000, { logs: 60, bytes: 60 * 262_144 });
    expect(size.now()).to.equal(1_333);
    size.succeeded(1, { logs: 30, bytes: 30 * 262_144 });
    expect(size.now()).to.equal(1);
  });

  it("halves what was rejected, and feels its way up again slowly", () => {
    const size = createRangeSize();
    for (let range = 0; range < 20; range += 1) size.succeeded(size.now(), { logs: 0, bytes: 0 });
    size.failed(5_000);
    expect(size.now()).to.equal(2_500);
    size.failed(2_500);
    expect(size.now()).to.equal(1_250);
    size.succeeded(1_250, { logs: 0, bytes: 0 });
    expect(size.now()).to.be.within(1_251, 1_300);
    size.failed(1);
    expect(size.now()).to.equal(1);
    size.succeeded(1, { logs: 0, bytes: 0 });
    expect(size.now()).to.equal(2);
  });
});
