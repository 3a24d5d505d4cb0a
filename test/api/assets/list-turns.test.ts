import { expect } from "chai";
import { createListTurns } from "../../../api/assets/list-turns.ts";

describe("turns of lists", () => {
  const usual = undefined;
  const large = 4;

  /** Pages that are under way until they are ended, and how many were at most at once. */
  function pages() {
    const ends: (() => void)[] = [];
    let underWay = 0;
    const seen = { most: 0 };
    const work = (small: number | undefined) => async () => {
      underWay += 1;
      seen.most = Math.max(seen.most, underWay);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay -= 1;
      return { small };
    };
    async function endAll(all: Promise<unknown>[]): Promise<void> {
      let isOver = false;
      void Promise.allSettled(all).then(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const end of ends.splice(0)) end();
        await new Promise(setImmediate);
      }
    }
    return { work, seen, endAll };
  }

  it("let a tenant read pages at once while none is large", async () => {
    const turns = createListTurns();
    const { work, seen, endAll } = pages();
    await endAll([1, 2, 3].map(() => turns("a", 200, work(usual))));
    await endAll([1, 2, 3].map(() => turns("a", 200, work(usual))));
    expect(seen.most).to.equal(3);
  });

  it("come after a large page, for its tenant alone", async () => {
    const turns = createListTurns();
    const first = pages();
    await first.endAll([turns("a", 200, first.work(large))]);
    const [own, other] = [pages(), pages()];
    await own.endAll([1, 2, 3].map(() => turns("a", 5, own.work(usual))));
    await other.endAll([1, 2, 3].map(() => turns("b", 5, other.work(usual))));
    expect(own.seen.most).to.equal(1);
    expect(other.seen.most).to.equal(3);
  });

  it("let small pages pass, and as few of a large page's entries as the largest allows", async () => {
    const turns = createListTurns();
    const first = pages();
    for (const small of [large, 20]) await first.endAll([turns("a", 200, first.work(small))]);
    const { work, seen, endAll } = pages();
    await endAll([1, 2, 3].map(() => turns("a", large, work(usual))));
    expect(seen.most).to.equal(3);
  });

  it("end some time after the last large page", async () => {
    const turns = createListTurns(0);
    const { work, seen, endAll } = pages();
    await endAll([turns("a", 200, work(large))]);
    await endAll([1, 2, 3].map(() => turns("a", 200, work(usual))));
    expect(seen.most).to.equal(3);
  });

  it("are refused where too many wait, by a code that blames the caller", async () => {
    const turns = createListTurns();
    const { work, endAll } = pages();
    await endAll([turns("a", 200, work(large))]);
    const all = Array.from({ length: 53 }, () => turns("a", 200, work(usual)));
    await endAll(all);
    const refused = (await Promise.allSettled(all)).flatMap((one) =>
      one.status === "rejected" ? [one.reason.code] : [],
    );
    expect(refused).to.deep.equal(["TOO_MANY_AT_ONCE", "TOO_MANY_AT_ONCE"]);
  });
});
