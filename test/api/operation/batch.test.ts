import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { batched } from "../../../api/operation/batch.ts";

describe("batches of questions", () => {
  /** Answers each number by its double, and keeps what was asked together. */
  function doubles(fail: (asked: readonly number[]) => void = () => {}) {
    const asked: (readonly number[])[] = [];
    const ask = batched(async (numbers: readonly number[]) => {
      asked.push(numbers);
      fail(numbers);
      await setTimeout(1);
      return numbers.map((number) => number * 2);
    });
    return { asked, ask };
  }

  it("asks what comes in one turn at once, and gives each its own answer", async () => {
    const { asked, ask } = doubles();
    expect(await Promise.all([ask(1), ask(2), ask(1)])).to.deep.equal([2, 4, 2]);
    expect(asked).to.deep.equal([[1, 2, 1]]);
  });

  it("keeps no answer: what is asked later is asked anew", async () => {
    const { asked, ask } = doubles();
    await ask(1);
    await ask(1);
    expect(asked).to.deep.equal([[1], [1]]);
  });

  it("asks at most 50 at once", async () => {
    const { asked, ask } = doubles();
    const numbers = Array.from({ length: 120 }, (_, index) => index);
    expect(await Promise.all(numbers.map(ask))).to.deep.equal(numbers.map((number) => number * 2));
    expect(asked.map(({ length }) => length)).to.deep.equal([50, 50, 20]);
  });

  it("lets one that cannot be answered fail alone", async () => {
    const { ask } = doubles((numbers) => {
      if (numbers.includes(2)) throw new Error("not two");
    });
    const results = await Promise.allSettled([ask(1), ask(2), ask(3)]);
    expect(
      results.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message)),
    ).to.deep.equal([2, "not two", 6]);
  });

  it("asks a database that does not answer once, and not once for each", async () => {
    const { asked, ask } = doubles(() => {
      throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    });
    const results = await Promise.allSettled([ask(1), ask(2)]);
    expect(results.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(asked).to.have.length(1);
  });
});
