import { expect } from "chai";
import { counterKey, counterMeanings, parseCounterKey } from "../../../domain/index/counters.ts";

describe("the text of a counter", () => {
  it("is read as it was written, with a reason or without", () => {
    for (const name of Object.keys(counterMeanings) as (keyof typeof counterMeanings)[]) {
      for (const reason of [undefined, "rate_limited", 'a "quoted" one', ""]) {
        expect(parseCounterKey(counterKey(name, reason))).to.deep.equal({ name, reason });
      }
    }
    for (const text of ["", "a b", 'halt_total{reason="x"', 'halt_total{why="x"}']) {
      expect(parseCounterKey(text), text).to.equal(undefined);
    }
  });
});
