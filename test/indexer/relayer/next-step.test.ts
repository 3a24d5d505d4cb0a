import { expect } from "chai";
import { nextStep, type Pending, raise } from "../../../indexer/relayer/next-step.ts";

describe("the next step for a pending nonce of the relayer", () => {
  const nowMs = 1_000_000_000;
  const head = { number: 100, timestamp: nowMs / 1000, baseFeePerGas: 10n };
  const oldHead = { ...head, timestamp: head.timestamp - 301 };

  /** A call that was sent a block ago and that the node still has. */
  const call: Pending = {
    newest: { filler: false, maxFee: 20n, sentBlock: 99 },
    attempts: 1,
    isWanted: true,
    isMined: false,
    isKnown: true,
    isLowest: true,
  };
  const filler: Pending = { ...call, newest: { ...call.newest, filler: true }, isWanted: false };
  const step = (pending: Pending, at = head) => nextStep(pending, at, nowMs);
  const withNewest = (pending: Pending, newest: Partial<Pending["newest"]>): Pending => ({
    ...pending,
    newest: { ...pending.newest, ...newest },
  });

  it("is to wait for a block", () => {
    expect(step(call)).to.equal("keep");
    expect(step(filler)).to.equal("keep");
  });

  it("is to fill the nonce of a call that is not wanted any more, also where the head is old", () => {
    expect(step({ ...call, isWanted: false })).to.equal("fill");
    expect(step({ ...call, isWanted: false }, oldHead)).to.equal("fill");
  });

  it("is to wait for the index where a block has such a call already", () => {
    expect(step({ ...call, isWanted: false, isMined: true })).to.equal("keep");
  });

  it("is to send again what the node does not have, or was never sent", () => {
    expect(step({ ...call, isKnown: false })).to.equal("rebroadcast");
    expect(step(withNewest(call, { sentBlock: undefined }))).to.equal("rebroadcast");
    expect(step({ ...filler, isKnown: false })).to.equal("rebroadcast");
  });

  it("is to raise a fee below the base fee, of any nonce, unless the head is old", () => {
    for (const isLowest of [true, false]) {
      expect(step(withNewest({ ...call, isLowest, isKnown: false }, { maxFee: 9n }))).to.equal("bump");
      expect(step(withNewest({ ...filler, isLowest }, { maxFee: 9n }))).to.equal("fill");
    }
    expect(step(withNewest(call, { maxFee: 9n }), oldHead)).to.equal("keep");
    expect(step(withNewest(call, { maxFee: 10n }))).to.equal("keep");
  });

  it("is to raise the lowest nonce's fee after three blocks, and after twice as many each time", () => {
    for (const [attempts, blocks] of [
      [1, 3],
      [2, 6],
      [3, 12],
      [7, 192],
      [20, 192],
    ] as const) {
      const waiting = (sinceBlocks: number) =>
        withNewest({ ...call, attempts }, { sentBlock: head.number - sinceBlocks });
      expect(step(waiting(blocks - 1)), `${attempts} attempts`).to.equal("keep");
      expect(step(waiting(blocks)), `${attempts} attempts`).to.equal("bump");
    }
    const stuck = withNewest(call, { sentBlock: 0 });
    expect(step({ ...stuck, isLowest: false })).to.equal("keep");
    expect(step(stuck, oldHead)).to.equal("keep");
    expect(step(withNewest(filler, { sentBlock: 0 }))).to.equal("fill");
  });

  it("after a rejection for its fee is to raise it, unless the head is old", () => {
    expect(raise({ filler: false }, head, nowMs)).to.equal("bump");
    expect(raise({ filler: true }, head, nowMs)).to.equal("fill");
    expect(raise({ filler: false }, oldHead, nowMs)).to.equal("keep");
  });
});
