import { expect } from "chai";
import { createListTurns } from "../../../api/assets/list-turns.ts";

describe("turns of lists", () => {
  /** Pages that are under way until they are ended, and how many were at most at once. */
  function pages() {
    const ends: (() => void)[] = [];
    let underWay = 0;
    const seen = { most: 0 };
    const work = (isLarge: boolean) => async () => {
      underWay += 1;
      seen.most = Math.max(seen.most, underWay);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay -= 1;
      return { isLarge };
    };
    async function endAll(all: Promise<unknown>[]): Promise<void> {
      let isOver = false;
      void Promise.all(all).then(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const end of ends.splice(0)) end();
        await new Promise(setImmediate);
      }
    }
    return { work, seen, endAll };
  }

  it("let a tenant read small pages at once", async () => {
    const turns = createListTurns();
    const { work, seen, endAll } = pages();
    await endAll([1, 2, 3].map(() => turns("a", work(false))));
    await endAll([1, 2, 3].map(() => turns("a", work(false))));
    expect(seen.most).to.equal(3);
  });

  it("come after a large page, for its tenant alone", async () => {
    const turns = createListTurns();
    const first = pages();
    await first.endAll([turns("a", first.work(true))]);
    const [own, other] = [pages(), pages()];
    await own.endAll([1, 2, 3].map(() => turns("a", own.work(false))));
    await other.endAll([1, 2, 3].map(() => turns("b", other.work(false))));
    expect(own.seen.most).to.equal(1);
    expect(other.seen.most).to.equal(3);
  });

  it("end some time after the last large page", async () => {
    const turns = createListTurns(0);
    const { work, seen, endAll } = pages();
    await endAll([turns("a", work(true))]);
    await endAll([1, 2, 3].map(() => turns("a", work(false))));
    expect(seen.most).to.equal(3);
  });
});
