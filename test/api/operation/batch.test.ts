import { setImmediate, setTimeout } from "node:timers/promises";
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

  /** Two questions under way, each in a batch of its own, until they are released. */
  async function busy() {
    const asked: (readonly number[])[] = [];
    const released: (() => void)[] = [];
    const ask = batched(async (numbers: readonly number[]) => {
      asked.push(numbers);
      if (asked.length <= 2) await new Promise<void>((resolve) => released.push(resolve));
      return numbers.map((number) => number * 2);
    });
    const first: Promise<number>[] = [];
    for (const number of [1, 2]) {
      first.push(ask(number));
      while (asked.length < number) await setImmediate();
    }
    return { asked, ask, release: () => released.shift()?.(), first };
  }

  it("asks what comes while two others are under way together, when one of them is answered", async () => {
    const { asked, ask, release, first } = await busy();
    const later = [ask(3)];
    await setImmediate();
    later.push(ask(4));
    release();
    expect(await Promise.all(later)).to.deep.equal([6, 8]);
    expect(asked).to.deep.equal([[1], [2], [3, 4]]);
    release();
    expect(await Promise.all(first)).to.deep.equal([2, 4]);
  });

  it("lets nobody wait long for what others take", async () => {
    const { ask, release, first } = await busy();
    expect(await ask(3)).to.equal(6);
    release();
    release();
    await Promise.all(first);
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
